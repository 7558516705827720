"""Bring stored schedules in line with what exists: flag those whose task, zone or cron is gone, or
that are above the limit.

The scheduler does so at its start, an operator by `manage.py normalizeschedules`. What runs now
needs no repair, since no schedule stores it.
"""

from dataclasses import dataclass, field

from django.db import InterfaceError, OperationalError, transaction

from controlplane import conf
from scheduling import cron
from scheduling.actions.limit import above_limit
from scheduling.breaking import put_into, reason_of, set_aside
from scheduling.cron_zones import zone_named
from scheduling.errors import InvalidCron
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
from scheduling.tasks_known import unknown_everywhere

DATABASE_TROUBLE = (OperationalError, InterfaceError)
#: Schedules read at once.
CHUNK = 1000
#: Of no interest here, and the only columns that may be large.
_UNREAD = ("args", "kwargs", "tags", "description")


@dataclass(slots=True)
class Normalised:
    """How many live schedules were looked at, and the ids of those that were changed or failed."""

    seen: int = 0
    changed: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)


def normalise() -> Normalised:
    """Look at every live schedule. One that fails is logged with its id, PAUSED and skipped.

    Only what needs correcting is locked: other schedulers are at work on the rest.
    """
    rows = JobSchedule.objects.live().exclude(schedule_status=ScheduleStatus.TASK_NOT_FOUND)
    missing = unknown_everywhere(rows.order_by("task").values_list("task", flat=True).distinct())
    above = set(above_limit().values_list("id", flat=True))
    done = Normalised()
    last = 0
    while chunk := list(rows.filter(id__gt=last).order_by("id").defer(*_UNREAD)[:CHUNK]):
        for schedule in chunk:
            _look_at(schedule, missing, above, done)
        last = chunk[-1].id
    return done


def _look_at(schedule: JobSchedule, missing: set[str], above: set[int], done: Normalised) -> None:
    done.seen += 1
    try:
        if _fault(schedule, missing, above) is None:
            return
        with transaction.atomic():
            locked = JobSchedule.objects.select_for_update(no_key=True).get(id=schedule.id)
            fault = _fault(locked, missing, above)
            if fault is not None:
                put_into(locked, *fault)
                done.changed.append(locked.id)
    except DATABASE_TROUBLE:
        raise
    except Exception as error:  # noqa: BLE001 - one bad row never stops the others
        done.failed.append(schedule.id)
        set_aside(schedule, error)


def _fault(
    schedule: JobSchedule, missing: set[str], above: set[int]
) -> tuple[ScheduleStatus, str] | None:
    """The status that the schedule belongs in, and why; None when all is well with it."""
    if schedule.task in missing:
        reason = f"No installed app and no live worker knows the task {schedule.task}."
        return ScheduleStatus.TASK_NOT_FOUND, reason
    if schedule.id in above and schedule.schedule_status == ScheduleStatus.ENABLED:
        limit = conf.options().schedule_limit
        return ScheduleStatus.PAUSED, f"It is above the limit of {limit} schedules."
    if not schedule.times:
        return None
    try:
        if schedule.cron:
            cron.canonical(schedule.cron)
    except InvalidCron as error:
        return ScheduleStatus.UNSCHEDULED, reason_of(error)
    zone_named(schedule.timezone)
    return None
