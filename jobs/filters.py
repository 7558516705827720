"""The query string of the jobs list -> a validated filter; shared by page and API."""

from dataclasses import dataclass

from django.http import QueryDict

from controlplane.errors import InvalidInput
from jobs.lifecycle import Status

#: Longest value of a text field: what the columns hold.
MAX_LENGTH = {"queue": 100, "task": 255}


@dataclass(frozen=True, slots=True)
class JobFilter:
    """Which jobs; an empty value does not narrow."""

    status: Status | None = None
    queue: str = ""
    #: A dotted path, or a task's short name.
    task: str = ""

    @property
    def is_narrowed(self) -> bool:
        """Beyond the status, which always shows as a chosen tab."""
        return bool(self.queue or self.task)


def job_filter(parameters: QueryDict) -> JobFilter:
    """Read `status`, `queue` and `task`. Raises InvalidInput naming the field at fault."""
    return JobFilter(
        status=_status(_single(parameters, "status")),
        queue=_text(parameters, "queue"),
        task=_text(parameters, "task"),
    )


def _single(parameters: QueryDict, name: str) -> str:
    values = parameters.getlist(name)
    if len(values) > 1:
        raise InvalidInput(f"{name} is given {len(values)} times; give it once.", field=name)
    return values[0].strip() if values else ""


def _status(raw: str) -> Status | None:
    if not raw:
        return None
    try:
        return Status(raw.upper())
    except ValueError:
        known = ", ".join(Status.values)
        raise InvalidInput(f"status must be one of {known}.", field="status") from None


def _text(parameters: QueryDict, name: str) -> str:
    value = _single(parameters, name)
    if len(value) > MAX_LENGTH[name]:
        raise InvalidInput(f"{name} must have at most {MAX_LENGTH[name]} characters.", field=name)
    if "\x00" in value:
        raise InvalidInput(f"{name} must not contain a NUL character.", field=name)
    return value
