"""A schedule that cannot go on is set aside: stopped, with the reason where people look for it."""

from django.db import transaction

from audit import recorder
from audit.recorder import Target
from audit.vocabulary import EventType
from controlplane.actors import SYSTEM
from controlplane.errors import ControlPlaneError
from controlplane.events import log_event
from jobs.errors import TaskNotFound
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule

#: Longest reason kept, characters.
MAX_REASON = 1000


def set_aside(schedule: JobSchedule, error: Exception) -> None:
    """PAUSED, or TASK_NOT_FOUND where that is the reason; recorded and logged once.

    Touches only columns that hold no bad value, so that it works for a row of any kind.
    """
    missing = isinstance(error, TaskNotFound)
    status = ScheduleStatus.TASK_NOT_FOUND if missing else ScheduleStatus.PAUSED
    if not missing and not schedule.cron:
        status = ScheduleStatus.UNSCHEDULED
    put_into(schedule, status, reason_of(error))


def put_into(schedule: JobSchedule, status: ScheduleStatus, reason: str) -> None:
    """Stop the schedule in this status. UNSCHEDULED clears its cron, which the event keeps."""
    columns = {"schedule_status": status, "status_reason": reason, "next_run_at": None}
    if status is ScheduleStatus.UNSCHEDULED:
        columns["cron"] = ""
    missing = status is ScheduleStatus.TASK_NOT_FOUND
    with transaction.atomic():
        JobSchedule.objects.filter(id=schedule.id).update(**columns)
        recorder.record(
            EventType.SCHEDULE_TASK_NOT_FOUND if missing else EventType.SCHEDULE_BROKEN,
            Target("schedule", schedule.id, schedule.name),
            actor=SYSTEM,
            metadata={"reason": reason, "schedule_status": str(status), "cron": schedule.cron},
        )
    log_event("scheduler.broken", schedule_id=schedule.id, name=schedule.name, error=reason)


def reason_of(error: Exception) -> str:
    """One line for people: the message of our own errors, else the error's class too."""
    text = (
        error.message
        if isinstance(error, ControlPlaneError)
        else f"{type(error).__name__}: {error}"
    )
    return " ".join(text.split())[:MAX_REASON]
