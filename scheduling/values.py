"""What a person may write into a schedule, checked before anything is stored."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypedDict

from controlplane.actors import Actor
from jobs.registry import task_named
from jobs.validation import bind_arguments, json_text, plain_text
from scheduling import cron
from scheduling.argument_types import check_types
from scheduling.cron_zones import zone_named
from scheduling.errors import InvalidCron, InvalidSchedule
from scheduling.lifecycle import KINDS_OF_TIMES, MissedPolicy, OverlapPolicy
from scheduling.models import (
    MAX_INTERVAL_DAYS,
    MAX_INTERVAL_SECONDS,
    MAX_JITTER_SECONDS,
    MAX_MISSED,
    MIN_WINDOW_SECONDS,
)
from scheduling.times import Times, next_fire

#: Longest description, characters.
MAX_DESCRIPTION = 10_000
#: Longest timeout of an attempt, seconds.
MAX_TIMEOUT = 31 * 86_400
#: Longest tag, characters, and how many a schedule may have.
MAX_TAG = 50
MAX_TAGS = 20
FIRST_MOMENT = datetime(1970, 1, 1, tzinfo=UTC)
LAST_MOMENT = datetime(2200, 1, 1, tzinfo=UTC)


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
    tags: Sequence[str]
    cron: str
    timezone: str
    interval_seconds: int | None
    interval_days: int | None
    anchor_at: datetime | None
    run_at: datetime | None
    starts_at: datetime | None
    ends_at: datetime | None
    jitter_seconds: int
    overlap_policy: str
    missed_policy: str
    missed_window_seconds: int
    missed_limit: int


def checked(values: ScheduleValues) -> dict[str, Any]:
    """The values as they are stored: trimmed, and cron in its canonical form.

    Raises InvalidSchedule, InvalidCron, InvalidZone or InvalidArguments, naming the field.
    """
    unknown = values.keys() - ScheduleValues.__annotations__.keys()
    if unknown:
        raise InvalidSchedule(f"A schedule has no {', '.join(sorted(unknown))}.")
    columns = {name: _CHECKS[name](value) for name, value in values.items()}
    return columns | _other_kinds_cleared(columns)


def _other_kinds_cleared(columns: Mapping[str, Any]) -> dict[str, Any]:
    """To name times of one kind is to give up those of the others."""
    named = [kind for kind in KINDS_OF_TIMES if columns.get(kind)]
    if len(named) > 1:
        raise InvalidSchedule(
            f"{' and '.join(named)} both name times; a schedule has one of "
            f"{', '.join(KINDS_OF_TIMES)}.",
            field=named[1],
        )
    others = KINDS_OF_TIMES.items() if named else ()
    return {kind: none for kind, none in others if kind not in columns}


def check_times(times: Times, now: datetime) -> None:
    """Whether there is a time to come. Raises InvalidSchedule, naming the column at fault."""
    if times.starts_at and times.ends_at and times.ends_at <= times.starts_at:
        raise InvalidSchedule("ends_at must be later than starts_at.", field="ends_at")
    if times and next_fire(times, now) is None:
        if times.run_at and times.run_at <= now:
            raise InvalidSchedule("run_at must be a time to come.", field="run_at")
        if times.starts_at or times.ends_at:
            raise InvalidSchedule(
                "No time to come lies from starts_at to ends_at.", field="ends_at"
            )
        raise InvalidCron(f"{times.cron} has no time left.")


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
    check_types(found, arguments)
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


def _required(field: str, value: Any, low: int, high: int) -> int:
    number = _whole(field, value, low, high)
    if number is None:
        raise InvalidSchedule(f"{field} must be a whole number from {low} to {high}.", field=field)
    return number


def _moment(field: str, value: Any) -> datetime | None:
    """A time of this century, give or take: others have no sense, or no offset in every zone."""
    if value is None:
        return None
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise InvalidSchedule(f"{field} must be a time with its zone.", field=field)
    if not FIRST_MOMENT <= value <= LAST_MOMENT:
        raise InvalidSchedule(
            f"{field} must be from {FIRST_MOMENT.year} to {LAST_MOMENT.year}.", field=field
        )
    return value.astimezone(UTC)


def _tags(value: Any) -> list[str]:
    """Each once, in the order given."""
    words = [
        _text("tags", tag, MAX_TAG).strip() for tag in _arguments("tags", value, Sequence, "a list")
    ]
    if not all(words):
        raise InvalidSchedule("tags must not be empty.", field="tags")
    found = list(dict.fromkeys(words))
    if len(found) > MAX_TAGS:
        raise InvalidSchedule(f"tags are at most {MAX_TAGS}, not {len(found)}.", field="tags")
    return found


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
    "tags": _tags,
    "cron": _cron,
    "timezone": _zone,
    "interval_seconds": lambda v: _whole("interval_seconds", v, 1, MAX_INTERVAL_SECONDS),
    "interval_days": lambda v: _whole("interval_days", v, 1, MAX_INTERVAL_DAYS),
    "anchor_at": lambda value: _moment("anchor_at", value),
    "run_at": lambda value: _moment("run_at", value),
    "starts_at": lambda value: _moment("starts_at", value),
    "ends_at": lambda value: _moment("ends_at", value),
    "jitter_seconds": lambda v: _required("jitter_seconds", v, 0, MAX_JITTER_SECONDS),
    "overlap_policy": lambda value: _choice("overlap_policy", value, OverlapPolicy.values),
    "missed_policy": lambda value: _choice("missed_policy", value, MissedPolicy.values),
    "missed_window_seconds": lambda v: _required(
        "missed_window_seconds", v, MIN_WINDOW_SECONDS, MAX_INTERVAL_SECONDS
    ),
    "missed_limit": lambda v: _required("missed_limit", v, 1, MAX_MISSED),
}
