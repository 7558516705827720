"""Starting and stopping a schedule's clock, in memory. Nothing fires: the next time is later."""

from datetime import datetime

from scheduling import cron
from scheduling.errors import InvalidCron
from scheduling.lifecycle import TIMED, ScheduleStatus
from scheduling.models import JobSchedule


def enable(schedule: JobSchedule, now: datetime) -> None:
    """Let the clock fire it, from the first time after now. Raises InvalidCron or InvalidZone."""
    following = cron.next_fire(schedule.cron, schedule.timezone, now)
    if following is None:
        raise InvalidCron(f"{schedule.cron} has no time left.")
    schedule.schedule_status = ScheduleStatus.ENABLED
    schedule.next_run_at = following
    schedule.status_reason = ""


def quiet(schedule: JobSchedule, status: ScheduleStatus, reason: str = "") -> None:
    """Keep the clock from firing it. `reason` is given when it was not a person's wish."""
    schedule.schedule_status = status
    schedule.next_run_at = None
    schedule.status_reason = reason


def follow_cron(schedule: JobSchedule, now: datetime) -> None:
    """Bring status and next time in line with an edited cron or zone.

    An ENABLED schedule goes on with its new times; one that had none is PAUSED once it has some.
    """
    if not schedule.cron:
        quiet(schedule, ScheduleStatus.UNSCHEDULED)
    elif schedule.schedule_status == ScheduleStatus.ENABLED:
        enable(schedule, now)
    elif schedule.schedule_status not in TIMED:
        quiet(schedule, ScheduleStatus.PAUSED)
