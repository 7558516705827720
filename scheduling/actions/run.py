"""Run a schedule by hand, now, whatever its clock says."""

from django.db import transaction

from audit import recorder
from audit.vocabulary import EventType
from controlplane.actors import SYSTEM, Actor
from jobs.actions.enqueue import enqueue_request
from jobs.errors import KeyTaken
from jobs.models import Job
from jobs.registry import task_named
from jobs.validation import plain_text
from scheduling.actions.locking import lock_schedule, require_source, target
from scheduling.errors import InvalidTransition
from scheduling.models import Firing, JobSchedule
from scheduling.requests import job_request


def run_now(*, schedule_id: int, actor: Actor, reason: str = "") -> Job:
    """Make its job at once and return it. The clock goes on as before.

    Raises InvalidTransition while a job of it is running (or unfinished, unless overlap is
    allowed), TaskNotFound, ScheduleNotFound or PermissionDenied.
    """
    reason = plain_text(reason, field="reason", maximum=255)
    with transaction.atomic():
        locked = lock_schedule(schedule_id, actor=actor)
        schedule = locked.schedule
        task_named(schedule.task)
        require_source(schedule, "run")
        if JobSchedule.objects.running_now().filter(id=schedule_id).exists():
            raise InvalidTransition(
                f"Schedule {schedule_id} is RUNNING; it can run again when READY."
            )
        job = Job.objects.get(id=_enqueue(schedule))
        Firing.objects.create(
            schedule=schedule,
            nominal_time=locked.now,
            kind=Firing.Kind.MANUAL,
            outcome=Firing.Outcome.ENQUEUED,
            job=job,
            reason=reason,
        )
        facts = {"job_id": job.id} | ({"reason": reason} if reason else {})
        recorder.record(EventType.SCHEDULE_RUN, target(schedule), actor=actor, metadata=facts)
    return job


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
