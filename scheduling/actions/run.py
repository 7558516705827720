"""Run a schedule by hand, now, whatever its clock says."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from audit import recorder
from audit.vocabulary import EventType
from controlplane.actors import SYSTEM, Actor
from jobs.actions.enqueue import enqueue_request
from jobs.errors import KeyTaken
from jobs.models import Job
from jobs.registry import task_named
from jobs.validation import plain_text
from scheduling import values as given
from scheduling.actions.limit import require_within_limit
from scheduling.actions.locking import lock_schedule, require_source
from scheduling.errors import InvalidTransition
from scheduling.models import Firing, JobSchedule
from scheduling.requests import job_request
from scheduling.targets import target
from scheduling.values import ScheduleValues


def run_now(
    *,
    schedule_id: int,
    actor: Actor,
    reason: str = "",
    args: Sequence[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
) -> Job:
    """Make its job at once and return it. The clock goes on as before.

    For this run only, `args` stand in for the schedule's own, and `kwargs` for those of the same
    names. Raises InvalidTransition while a job of it is running (or unfinished, unless overlap is
    allowed), TaskNotFound, ScheduleLimitReached, ScheduleNotFound, PermissionDenied, or what
    `values.check_arguments` raises.
    """
    reason = plain_text(reason, field="reason", maximum=255)
    overrides = given.checked(_given(args, kwargs))
    with transaction.atomic():
        locked = lock_schedule(schedule_id, actor=actor)
        schedule = locked.schedule
        task_named(schedule.task)
        require_source(schedule, "run")
        require_within_limit(schedule)
        if JobSchedule.objects.running_now().filter(id=schedule_id).exists():
            raise InvalidTransition(
                f"Schedule {schedule_id} is RUNNING; it can run again when READY."
            )
        if overrides:
            _override(schedule, overrides, actor)
        job = Job.objects.get(id=_enqueue(schedule))
        Firing.objects.create(
            schedule=schedule,
            nominal_time=locked.now,
            kind=Firing.Kind.MANUAL,
            outcome=Firing.Outcome.ENQUEUED,
            job=job,
            reason=reason,
        )
        facts = {"job_id": job.id, "reason": reason, "overridden": sorted(overrides)}
        facts = {name: fact for name, fact in facts.items() if fact}
        recorder.record(EventType.SCHEDULE_RUN, target(schedule), actor=actor, metadata=facts)
    return job


def _given(args: Sequence[Any] | None, kwargs: Mapping[str, Any] | None) -> ScheduleValues:
    values: ScheduleValues = {}
    if args is not None:
        values["args"] = args
    if kwargs is not None:
        values["kwargs"] = kwargs
    return values


def _override(schedule: JobSchedule, overrides: Mapping[str, Any], actor: Actor) -> None:
    """In memory only. The actor answers for the arguments, as for those of a schedule."""
    schedule.args = overrides.get("args", schedule.args)
    schedule.kwargs = {**schedule.kwargs, **overrides.get("kwargs", {})}
    given.check_arguments(schedule.task, schedule.args, schedule.kwargs, actor)


def _enqueue(schedule: JobSchedule) -> int:
    """In the name of the system: its author's rights were judged when it was written."""
    try:
        made = enqueue_request(job_request(schedule), actor=SYSTEM)
    except KeyTaken as error:
        raise InvalidTransition(
            f"Schedule {schedule.id} has an unfinished job: {error.message}"
        ) from error
    if not made.created:
        raise InvalidTransition(f"Job {made.job_id} holds the task's unique key and is unfinished.")
    return made.job_id
