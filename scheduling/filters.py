"""What a list of schedules can be narrowed to: each of the two statuses on its own, and words."""

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.errors import InvalidInput
from scheduling.lifecycle import ExecutionStatus, ScheduleStatus

#: Longest text to search for, characters.
MAX_SEARCH = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleFilter:
    """None, or an empty text, asks for nothing. `search` is part of a name or of a task's path."""

    schedule_status: ScheduleStatus | None = None
    execution_status: ExecutionStatus | None = None
    search: str = ""

    @property
    def is_narrowed(self) -> bool:
        return bool(self.schedule_status or self.execution_status or self.search)


def schedule_filter(parameters: Mapping[str, str]) -> ScheduleFilter:
    """Read `status`, `execution` and `q`. Raises InvalidInput: the field, and what is allowed."""
    return ScheduleFilter(
        schedule_status=_choice(parameters, "status", ScheduleStatus),
        execution_status=_choice(parameters, "execution", ExecutionStatus),
        search=_search(parameters),
    )


def _choice[C: (ScheduleStatus, ExecutionStatus)](
    parameters: Mapping[str, str], name: str, choices: type[C]
) -> C | None:
    value = parameters.get(name, "").strip()
    if not value:
        return None
    if value not in choices.values:
        allowed = ", ".join(choices.values)
        raise InvalidInput(f"{name} must be one of {allowed}.", field=name)
    return choices(value)


def _search(parameters: Mapping[str, str]) -> str:
    value = parameters.get("q", "").strip()
    if "\x00" in value:
        raise InvalidInput("q holds a NUL character.", field="q")
    if len(value) > MAX_SEARCH:
        raise InvalidInput(f"q has at most {MAX_SEARCH} characters.", field="q")
    return value
