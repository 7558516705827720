"""Starting and stopping a schedule's clock, in memory. Nothing fires: the next time is later."""

from datetime import datetime

from scheduling.errors import InvalidSchedule
from scheduling.lifecycle import NO_TIMES, TIMED, ScheduleStatus
from scheduling.models import JobSchedule
from scheduling.times import next_fire
from scheduling.values import check_times

#: The columns that the functions below set.
CLOCK = ["schedule_status", "status_reason", "next_run_at", "quiet_since"]


def enable(schedule: JobSchedule, now: datetime) -> None:
    """Let the clock fire it, from the first time after now.

    Raises InvalidSchedule without a time to come, InvalidCron or InvalidZone.
    """
    times = schedule.times
    if not times:
        raise InvalidSchedule("Only a schedule with times can be enabled.", field="cron")
    check_times(times, now)
    schedule.schedule_status = ScheduleStatus.ENABLED
    schedule.next_run_at = next_fire(times, now)
    schedule.quiet_since = None
    schedule.status_reason = ""


def quiet(
    schedule: JobSchedule,
    status: ScheduleStatus,
    reason: str = "",
    *,
    since: datetime | None = None,
) -> None:
    """Keep the clock from firing it. `reason` is given when it was not a person's wish; `since`
    when its times pass from now on as skipped.
    """
    schedule.schedule_status = status
    schedule.next_run_at = None
    schedule.quiet_since = since
    schedule.status_reason = reason


def follow_times(schedule: JobSchedule, now: datetime) -> None:
    """Bring status and next time in line with edited times.

    An ENABLED schedule goes on with its new times; one that had none is PAUSED once it has some.
    Raises as `enable`.
    """
    times = schedule.times
    check_times(times, now)
    if not times:
        quiet(schedule, ScheduleStatus.UNSCHEDULED)
    elif schedule.schedule_status == ScheduleStatus.ENABLED:
        enable(schedule, now)
    elif schedule.schedule_status not in TIMED:
        quiet(schedule, ScheduleStatus.PAUSED)
    elif schedule.quiet_since is not None:
        schedule.quiet_since = now


def anchor(schedule: JobSchedule, now: datetime) -> None:
    """An interval counts from where it is told to, else from its window's start, else from now."""
    if schedule.interval_seconds or schedule.interval_days:
        schedule.anchor_at = schedule.anchor_at or schedule.starts_at or now.replace(microsecond=0)
    else:
        schedule.anchor_at = None


def times_facts(schedule: JobSchedule) -> dict[str, str]:
    """What names its times, as the audit trail keeps it."""
    columns = {column: getattr(schedule, column) for column in NO_TIMES}
    named = {column: value for column, value in columns.items() if value != NO_TIMES[column]}
    texts = {c: v.isoformat() if isinstance(v, datetime) else str(v) for c, v in named.items()}
    return texts | ({"timezone": schedule.timezone} if texts else {})


def clear_times(schedule: JobSchedule) -> None:
    """Take every time away."""
    for column, none in NO_TIMES.items():
        setattr(schedule, column, none)
