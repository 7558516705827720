"""Arguments in a form: a mask stands for a sensitive value, and keeps it when it comes back."""

from typing import Any

from jobs.errors import InvalidArguments
from jobs.models import Job
from jobs.redaction import MASK, shown_arguments
from scheduling.models import JobSchedule


def masked_arguments(schedule: JobSchedule) -> tuple[Any, Any]:
    """Positional and named arguments as they may be shown."""
    return shown_arguments(Job(task=schedule.task, args=schedule.args, kwargs=schedule.kwargs))


def unmasked(given: Any, shown: Any, stored: Any, *, field: str) -> Any:
    """`given` with the stored value wherever the mask stands where it was shown.

    Raises InvalidArguments for a mask anywhere else: nobody knows which value it stands for.
    """
    if given == MASK:
        if shown == MASK and stored is not None:
            return stored
        raise InvalidArguments(
            f"{field} holds {MASK}, which stands for a value that is not shown. Under a new name "
            "or place the value has to be written anew.",
            field=field,
        )
    if isinstance(given, dict):
        shown, stored = _as(dict, shown), _as(dict, stored)
        return {
            key: unmasked(value, shown.get(key), stored.get(key), field=field)
            for key, value in given.items()
        }
    if isinstance(given, list):
        shown, stored = _as(list, shown), _as(list, stored)
        return [
            unmasked(value, _at(shown, index), _at(stored, index), field=field)
            for index, value in enumerate(given)
        ]
    return given


def _as[T: (dict[str, Any], list[Any])](kind: type[T], value: Any) -> T:
    return value if isinstance(value, kind) else kind()


def _at(values: list[Any], index: int) -> Any:
    return values[index] if index < len(values) else None
