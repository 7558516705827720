"""A schedule that cannot go on is stopped, with the reason where people look for it."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from audit import recorder
from audit.vocabulary import EventType
from controlplane.actors import SYSTEM
from controlplane.errors import ControlPlaneError
from controlplane.events import log_event
from jobs.errors import TaskNotFound
from scheduling.actions.timing import times_facts
from scheduling.due_times import shown
from scheduling.lifecycle import NO_TIMES, ScheduleStatus
from scheduling.models import JobSchedule
from scheduling.targets import target

#: Longest reason kept, characters.
MAX_REASON = 1000


def set_aside(schedule: JobSchedule, error: Exception) -> None:
    """PAUSED, or TASK_NOT_FOUND where that is the reason; recorded and logged once.

    Touches only columns that hold no bad value, so that it works for a row of any kind.
    """
    missing = isinstance(error, TaskNotFound)
    status = ScheduleStatus.TASK_NOT_FOUND if missing else ScheduleStatus.PAUSED
    if not missing and not schedule.times:
        status = ScheduleStatus.UNSCHEDULED
    put_into(schedule, status, reason_of(error))


def put_into(schedule: JobSchedule, status: ScheduleStatus, reason: str) -> None:
    """Stop the schedule in this status. UNSCHEDULED clears its times, which the event keeps."""
    missing = status is ScheduleStatus.TASK_NOT_FOUND
    event = EventType.SCHEDULE_TASK_NOT_FOUND if missing else EventType.SCHEDULE_BROKEN
    _stop(schedule, status, reason, event)
    log_event("scheduler.broken", schedule_id=schedule.id, name=schedule.name, error=reason)


def end(schedule: JobSchedule, last: datetime | None) -> None:
    """Its last time has come, which is no fault: PAUSED, or UNSCHEDULED where it had but one."""
    if schedule.run_at is not None:
        status, reason = ScheduleStatus.UNSCHEDULED, f"Its one time was {shown(schedule.run_at)}."
    elif schedule.ends_at is not None:
        status, reason = ScheduleStatus.PAUSED, f"It ended at {shown(schedule.ends_at)}."
    else:
        status, reason = ScheduleStatus.PAUSED, "It has no time left."
    _stop(schedule, status, reason, EventType.SCHEDULE_ENDED)
    if last is not None:
        JobSchedule.objects.filter(id=schedule.id).update(last_fired_at=last)
    log_event("scheduler.ended", schedule_id=schedule.id, name=schedule.name, reason=reason)


def _stop(schedule: JobSchedule, status: ScheduleStatus, reason: str, event: EventType) -> None:
    columns: dict[str, Any] = {
        "schedule_status": status,
        "status_reason": reason,
        "next_run_at": None,
        "quiet_since": Now() if status is ScheduleStatus.PAUSED else None,
    }
    if status is ScheduleStatus.UNSCHEDULED:
        columns |= NO_TIMES
    facts = {"reason": reason, "schedule_status": str(status), **times_facts(schedule)}
    with transaction.atomic():
        JobSchedule.objects.filter(id=schedule.id).update(**columns)
        recorder.record(event, target(schedule), actor=SYSTEM, metadata=facts)


def reason_of(error: Exception) -> str:
    """One line for people: the message of our own errors, else the error's class too."""
    text = (
        error.message
        if isinstance(error, ControlPlaneError)
        else f"{type(error).__name__}: {error}"
    )
    return " ".join(text.split())[:MAX_REASON]
