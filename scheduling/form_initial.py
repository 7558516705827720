"""What the schedule's form shows at first: a stored schedule, or the defaults of a new one."""

import json
from typing import Any

from scheduling.form_times import WALL_FIELDS, interval_parts, kind_of, wall_text
from scheduling.masking import masked_arguments
from scheduling.models import JobSchedule

_AS_THEY_ARE = (
    *("name", "description", "task", "cron", "timezone", "interval_days", "jitter_seconds"),
    *("overlap_policy", "missed_policy", "missed_window_seconds", "missed_limit"),
    *("queue", "priority", "max_attempts", "timeout_seconds", "version"),
)


def initial_of(schedule: JobSchedule) -> dict[str, Any]:
    """The fields of a stored schedule; sensitive arguments are masked."""
    args, kwargs = masked_arguments(schedule)
    every, unit = interval_parts(schedule.interval_seconds or 300)
    initial = {name: getattr(schedule, name) for name in _AS_THEY_ARE}
    initial |= {name: wall_text(getattr(schedule, name), schedule.timezone) for name in WALL_FIELDS}
    initial |= {
        "kind": kind_of(schedule),
        "every": every,
        "every_unit": unit,
        "interval_days": schedule.interval_days or 1,
        "args": _json(args),
        "kwargs": _json(kwargs),
        "tags": ", ".join(schedule.tags),
        "impact_seen": "",
    }
    return initial | {"base": json.dumps({name: _text(value) for name, value in initial.items()})}


def defaults() -> dict[str, Any]:
    """The fields of a schedule that is yet to be made: daily, by cron."""
    return initial_of(JobSchedule(cron="0 3 * * *")) | {"base": "", "version": None}


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) if value else ""


def _text(value: Any) -> str:
    return "" if value is None else str(value)
