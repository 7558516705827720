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


@dataclass(slots=True)
class Normalised:
    """How many live schedules were looked at, and the ids of those that were changed or failed."""

    seen: int = 0
    changed: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)


def normalise() -> Normalised:
    """Look at every live schedule. One that fails is logged with its id, PAUSED and skipped."""
    rows = JobSchedule.objects.live().exclude(schedule_status=ScheduleStatus.TASK_NOT_FOUND)
    missing = unknown_everywhere(rows.order_by("task").values_list("task", flat=True).distinct())
    above = set(above_limit().values_list("id", flat=True))
    done = Normalised()
    for schedule_id in list(rows.order_by("id").values_list("id", flat=True)):
        _normalise_row(schedule_id, missing, above, done)
    return done


def _normalise_row(schedule_id: int, missing: set[str], above: set[int], done: Normalised) -> None:
    done.seen += 1
    try:
        with transaction.atomic():
            schedule = JobSchedule.objects.select_for_update(no_key=True).get(id=schedule_id)
            if _corrected(schedule, missing, above):
                done.changed.append(schedule_id)
    except DATABASE_TROUBLE:
        raise
    except Exception as error:  # noqa: BLE001 - one bad row never stops the others
        done.failed.append(schedule_id)
        _pause_failing(schedule_id, error)


def _corrected(schedule: JobSchedule, missing: set[str], above: set[int]) -> bool:
    """Whether the schedule had to be put into another status."""
    if schedule.task in missing:
        reason = f"No installed app and no live worker knows the task {schedule.task}."
        put_into(schedule, ScheduleStatus.TASK_NOT_FOUND, reason)
        return True
    if schedule.id in above and schedule.schedule_status == ScheduleStatus.ENABLED:
        reason = f"It is above the limit of {conf.options().schedule_limit} schedules."
        put_into(schedule, ScheduleStatus.PAUSED, reason)
        return True
    if not schedule.times:
        return False
    try:
        if schedule.cron:
            cron.canonical(schedule.cron)
    except InvalidCron as error:
        put_into(schedule, ScheduleStatus.UNSCHEDULED, reason_of(error))
        return True
    zone_named(schedule.timezone)
    return False


def _pause_failing(schedule_id: int, error: Exception) -> None:
    schedule = JobSchedule.objects.defer("args", "kwargs", "tags").filter(id=schedule_id).first()
    if schedule is not None:
        set_aside(schedule, error)
