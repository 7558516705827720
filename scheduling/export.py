"""Stored schedules as entries of a file. What is the default is left out."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from scheduling.lifecycle import ScheduleStatus
from scheduling.masking import masked_arguments
from scheduling.models import JobSchedule
from scheduling.schedule_file import COLUMNS, moment_text

#: First in each entry; the others follow in the order of ScheduleValues.
_FIRST = ("name", "task")


def exported(schedules: Iterable[JobSchedule], *, secrets: bool) -> list[dict[str, Any]]:
    """An entry for each; sensitive arguments are masked unless `secrets` are wanted."""
    return [_entry(schedule, secrets) for schedule in schedules]


def _entry(schedule: JobSchedule, secrets: bool) -> dict[str, Any]:
    blank = JobSchedule()
    columns = {name: getattr(schedule, name) for name in (*_FIRST, *COLUMNS)}
    if not secrets:
        columns["args"], columns["kwargs"] = masked_arguments(schedule)
    entry = {
        name: moment_text(value) if isinstance(value, datetime) else value
        for name, value in columns.items()
        if name in _FIRST or value != getattr(blank, name)
    }
    if schedule.times:
        entry["timezone"] = schedule.timezone
        entry["enabled"] = schedule.schedule_status == ScheduleStatus.ENABLED
    return entry
