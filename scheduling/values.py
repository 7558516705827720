"""What a person may write into a schedule, checked before anything is stored."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from controlplane.actors import Actor
from jobs.registry import task_named
from jobs.validation import bind_arguments, json_text, plain_text
from scheduling import cron
from scheduling.cron_zones import zone_named
from scheduling.errors import InvalidSchedule
from scheduling.lifecycle import MissedPolicy, OverlapPolicy

#: Longest description, characters.
MAX_DESCRIPTION = 10_000
#: Longest timeout of an attempt, seconds.
MAX_TIMEOUT = 31 * 86_400


class ScheduleValues(TypedDict, total=False):
    """The columns that create and update take; what is left out is the default, or stays."""

    name: str
    description: str
    task: str
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    queue: str
    priority: int | None
    max_attempts: int | None
    timeout_seconds: float | None
    cron: str
    timezone: str
    overlap_policy: str
    missed_policy: str


def checked(values: ScheduleValues) -> dict[str, Any]:
    """The values as they are stored: trimmed, and cron in its canonical form.

    Raises InvalidSchedule, InvalidCron, InvalidZone or InvalidArguments, naming the field.
    """
    unknown = values.keys() - ScheduleValues.__annotations__.keys()
    if unknown:
        raise InvalidSchedule(f"A schedule has no {', '.join(sorted(unknown))}.")
    return {name: _CHECKS[name](value) for name, value in values.items()}


def check_arguments(
    task: str, args: Sequence[Any], kwargs: Mapping[str, Any], actor: Actor
) -> None:
    """Whether the task takes the arguments, and whether the actor may have it run with them.

    Raises TaskNotFound, InvalidArguments (naming the argument), InvalidJson or PermissionDenied.
    """
    found = task_named(task)
    json_text(list(args), field="args")
    json_text(dict(kwargs), field="kwargs")
    arguments = bind_arguments(found, args, kwargs)
    guard = getattr(found, "guard", None)
    if guard is not None:
        guard(arguments, actor)


def _name(value: Any) -> str:
    name = _text("name", value, 150).strip()
    if not name:
        raise InvalidSchedule("name is empty.", field="name")
    return name


def _text(field: str, value: Any, maximum: int) -> str:
    if not isinstance(value, str):
        raise InvalidSchedule(f"{field} must be text.", field=field)
    return plain_text(value, field=field, maximum=maximum)


def _arguments(field: str, value: Any, kind: type[Any], name: str) -> Any:
    if isinstance(value, str) or not isinstance(value, kind):
        raise InvalidSchedule(f"{field} must be {name}.", field=field)
    return list(value) if kind is Sequence else dict(value)


def _whole(field: str, value: Any, low: int, high: int) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InvalidSchedule(f"{field} must be a whole number from {low} to {high}.", field=field)
    return value


def _timeout(value: Any) -> float | None:
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or not 0 < value <= MAX_TIMEOUT:
        raise InvalidSchedule(
            "timeout_seconds must be more than 0, at most 31 days.", field="timeout_seconds"
        )
    return float(value)


def _cron(value: Any) -> str:
    text = _text("cron", value, 10_000)
    return cron.canonical(text) if text.strip() else ""


def _zone(value: Any) -> str:
    return zone_named(_text("timezone", value, 10_000)).key


def _choice(field: str, value: Any, choices: Sequence[str]) -> str:
    if value not in choices:
        raise InvalidSchedule(f"{field} must be one of {', '.join(choices)}.", field=field)
    return str(value)


_CHECKS: dict[str, Any] = {
    "name": _name,
    "description": lambda value: _text("description", value, MAX_DESCRIPTION),
    "task": lambda value: _text("task", value, 255),
    "args": lambda value: _arguments("args", value, Sequence, "a list"),
    "kwargs": lambda value: _arguments("kwargs", value, Mapping, "an object"),
    "queue": lambda value: _text("queue", value, 100),
    "priority": lambda value: _whole("priority", value, -100, 100),
    "max_attempts": lambda value: _whole("max_attempts", value, 1, 21),
    "timeout_seconds": _timeout,
    "cron": _cron,
    "timezone": _zone,
    "overlap_policy": lambda value: _choice("overlap_policy", value, OverlapPolicy.values),
    "missed_policy": lambda value: _choice("missed_policy", value, MissedPolicy.values),
}
