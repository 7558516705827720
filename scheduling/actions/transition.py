"""Pause, resume, disable, restore and delete: what a person does to a schedule's status."""

from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from audit import recorder
from audit.vocabulary import EventType
from controlplane.actors import Actor
from jobs.registry import task_named
from jobs.validation import plain_text
from scheduling.actions.limit import require_within_limit
from scheduling.actions.locking import lock_schedule, require_source
from scheduling.actions.timing import CLOCK, clear_times, enable, quiet, times_facts
from scheduling.lifecycle import NO_TIMES, ScheduleStatus
from scheduling.models import JobSchedule
from scheduling.passed import tell_passed
from scheduling.targets import target
from scheduling.wakeup import wake_schedulers


def pause_schedule(*, schedule_id: int, actor: Actor, reason: str = "") -> JobSchedule:
    """ENABLED -> PAUSED. A run that is under way goes on.

    Raises InvalidTransition, ScheduleNotFound or PermissionDenied.
    """
    reason = plain_text(reason, field="reason", maximum=1000)
    with transaction.atomic():
        locked = lock_schedule(schedule_id, actor=actor)
        schedule = locked.schedule
        require_source(schedule, "pause")
        quiet(schedule, ScheduleStatus.PAUSED, since=locked.now)
        return _written(schedule, EventType.SCHEDULE_PAUSED, actor, reason=reason)


def resume_schedule(*, schedule_id: int, actor: Actor) -> JobSchedule:
    """PAUSED -> ENABLED, from the first time after now; what passed meanwhile is not made up, and
    the history says so.

    An ENABLED one stays as it is. Raises InvalidTransition, TaskNotFound, ScheduleLimitReached,
    InvalidSchedule (no time to come), InvalidCron, InvalidZone, ScheduleNotFound or
    PermissionDenied.
    """
    with transaction.atomic():
        locked = lock_schedule(schedule_id, actor=actor)
        schedule = locked.schedule
        require_source(schedule, "resume")
        task_named(schedule.task)
        require_within_limit(schedule)
        if schedule.schedule_status == ScheduleStatus.ENABLED:
            return schedule
        tell_passed(schedule, locked.now)
        enable(schedule, locked.now)
        return _written(schedule, EventType.SCHEDULE_RESUMED, actor)


def disable_schedule(*, schedule_id: int, actor: Actor) -> JobSchedule:
    """Any status -> UNSCHEDULED: its times are cleared. It can still be run by hand.

    Raises ScheduleNotFound or PermissionDenied.
    """
    with transaction.atomic():
        schedule = lock_schedule(schedule_id, actor=actor).schedule
        require_source(schedule, "disable")
        cleared = times_facts(schedule)
        clear_times(schedule)
        schedule.version += 1
        quiet(schedule, ScheduleStatus.UNSCHEDULED)
        schedule.save(update_fields=[*NO_TIMES, *CLOCK, "version"])
        facts = {**cleared, "version": schedule.version, "changed": sorted(cleared)}
        return _written(schedule, EventType.SCHEDULE_DISABLED, actor, **facts)


def restore_schedule(*, schedule_id: int, actor: Actor) -> JobSchedule:
    """TASK_NOT_FOUND -> PAUSED with its times kept (UNSCHEDULED without), once the task is back.

    Raises TaskNotFound while it is not, InvalidTransition, ScheduleLimitReached, ScheduleNotFound
    or PermissionDenied.
    """
    with transaction.atomic():
        schedule = lock_schedule(schedule_id, actor=actor).schedule
        require_source(schedule, "restore")
        task_named(schedule.task)
        require_within_limit(schedule)
        status = ScheduleStatus.PAUSED if schedule.times else ScheduleStatus.UNSCHEDULED
        quiet(schedule, status)
        was = ScheduleStatus.TASK_NOT_FOUND
        return _written(schedule, EventType.SCHEDULE_PAUSED, actor, restored_from=was)


def delete_schedule(*, schedule_id: int, actor: Actor) -> None:
    """Take it away and free its name; its history stays. A run that is under way goes on.

    Raises ScheduleNotFound or PermissionDenied.
    """
    with transaction.atomic():
        schedule = lock_schedule(schedule_id, actor=actor).schedule
        if schedule.schedule_status == ScheduleStatus.ENABLED:
            quiet(schedule, ScheduleStatus.PAUSED)
            schedule.save(update_fields=CLOCK)
        JobSchedule.objects.filter(id=schedule_id).update(
            deleted_at=Now(), version=F("version") + 1
        )
        recorder.record(EventType.SCHEDULE_DELETED, target(schedule), actor=actor)


def _written(schedule: JobSchedule, event: EventType, actor: Actor, **facts: Any) -> JobSchedule:
    """Store the status, record the event, wake the schedulers; in the caller's transaction."""
    schedule.save(update_fields=CLOCK)
    known = {name: fact for name, fact in facts.items() if fact}
    recorder.record(event, target(schedule), actor=actor, metadata=known)
    wake_schedulers(schedule.id)
    return schedule
