"""What django-celery-beat's rows mean here. Pure: nothing is looked up or stored."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scheduling.values import ScheduleValues

#: Seconds of the periods that beat's intervals are counted in.
_PERIODS = {"days": 86_400, "hours": 3600, "minutes": 60, "seconds": 1}
#: Fields without a counterpart, and what becomes of them.
_LEFT_OUT = {
    "exchange": "the exchange is not kept: there is no broker",
    "routing_key": "the routing key is not kept: there is no broker",
    "headers": "headers are not kept",
    "expire_seconds": "expire_seconds is not kept",
    "priority": "the priority is not kept: which way it counts depends on the broker",
}
_EMPTY: frozenset[Any] = frozenset({None, "", "{}", "[]"})


@dataclass(frozen=True, slots=True)
class BeatEntry:
    """A periodic task. `problem` says why it cannot become a schedule, if so."""

    name: str
    task: str
    enabled: bool
    one_off: bool = False
    values: ScheduleValues = field(default_factory=lambda: ScheduleValues())
    remarks: tuple[str, ...] = ()
    problem: str = ""


class _Unusable(Exception):
    """Its message is the problem."""


def beat_entry(
    task: Mapping[str, Any],
    *,
    crontab: Mapping[str, Any] | None = None,
    interval: Mapping[str, Any] | None = None,
    clocked: Mapping[str, Any] | None = None,
) -> BeatEntry:
    """A periodic task with the row that names its times; columns as in django-celery-beat."""
    name, path = str(task.get("name") or ""), str(task.get("task") or "")
    enabled, one_off = bool(task.get("enabled")), bool(task.get("one_off"))
    try:
        values = _values(task)
        if crontab is not None:
            values["cron"] = cron_of(crontab)
            values["timezone"] = str(crontab.get("timezone") or "UTC")
        elif interval is not None:
            values["interval_seconds"] = _seconds(interval)
        elif clocked is not None:
            values["run_at"] = _moment(clocked.get("clocked_time"), "clocked_time")
        else:
            raise _Unusable("solar events are not supported" if task.get("solar") else "no times")
    except _Unusable as error:
        return BeatEntry(name, path, enabled, problem=str(error))
    remarks = tuple(told for column, told in _LEFT_OUT.items() if task.get(column) not in _EMPTY)
    return BeatEntry(name, path, enabled, one_off and clocked is None, values, remarks)


def cron_of(fields: Mapping[str, Any]) -> str:
    """Beat's five columns as our cron. Celery wants both day fields to match; so the six-field
    dialect stands for it where both are given.
    """
    names = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
    words = ["".join(str(fields.get(name, "*")).split()) or "*" for name in names]
    both = words[2] != "*" and words[4] != "*"
    return " ".join(["0", *words] if both else words)


def _values(task: Mapping[str, Any]) -> ScheduleValues:
    values: ScheduleValues = {
        "description": str(task.get("description") or ""),
        "args": _json(task, "args", list),
        "kwargs": _json(task, "kwargs", dict),
        "queue": str(task.get("queue") or ""),
    }
    if task.get("start_time"):
        values["starts_at"] = _moment(task["start_time"], "start_time")
    if task.get("expires"):
        values["ends_at"] = _moment(task["expires"], "expires")
    return values


def _seconds(interval: Mapping[str, Any]) -> int:
    period, every = str(interval.get("period")), interval.get("every")
    if period not in _PERIODS:
        raise _Unusable(f"an interval in {period} is too short: a second is the least")
    if not isinstance(every, int) or isinstance(every, bool) or every < 1:
        raise _Unusable(f"an interval of {every} {period} is none")
    return every * _PERIODS[period]


def _moment(value: Any, name: str) -> datetime:
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        raise _Unusable(f"{name} is no time: {value}") from None
    if moment.tzinfo is None:
        raise _Unusable(f"{name} has no time zone: {value}")
    return moment


def _json(task: Mapping[str, Any], name: str, kind: type[Any]) -> Any:
    text = task.get(name) or ""
    try:
        value = json.loads(text) if str(text).strip() else kind()
    except (ValueError, TypeError, RecursionError) as error:
        raise _Unusable(f"{name} is no JSON: {error}") from None
    if not isinstance(value, kind):
        raise _Unusable(f"{name} is no JSON {'list' if kind is list else 'object'}")
    return value
