"""The shape that the actions share: lock, check, move, record, in one transaction."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction

from audit import recorder
from controlplane.actors import Actor
from controlplane.errors import Conflict
from jobs import lifecycle, queue
from jobs.actions.locking import lock_job
from jobs.errors import KeyTaken
from jobs.lifecycle import Status, Transition
from jobs.models import Job
from jobs.validation import plain_text

#: Longest reason a person may give, characters.
MAX_REASON = 500


def target(job: Job) -> recorder.Target:
    """How the audit trail names a job."""
    return recorder.Target("job", job.id, job.task)


def facts(reason: str, **more: Any) -> dict[str, Any]:
    """Metadata of an action's event; a reason is kept only when one was given."""
    reason = plain_text(reason, field="reason", maximum=MAX_REASON)
    return {**more, **({"reason": reason} if reason else {})}


def move_job(
    transition: Transition,
    *,
    job_id: int,
    actor: Actor,
    reason: str,
    refusal: type[Conflict],
    columns: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Job:
    """Apply a person's transition to a job and return it as it is then. `metadata` is recorded too.

    Raises `refusal` when the job is in no source state, KeyTaken when leaving its end would break a
    key.
    """
    told = facts(reason, **(metadata or {}))
    try:
        with transaction.atomic():
            job = lock_job(job_id, actor=actor)
            moved = lifecycle.apply(transition, Job.objects.filter(id=job_id), **(columns or {}))
            if moved != 1:
                raise refusal(
                    f"Job {job_id} is {job.status}; {transition.verb} is not possible from there."
                )
            told["previous_status"] = job.status
            recorder.record(transition.event, target(job), actor=actor, metadata=told)
            if transition.target is Status.PENDING:
                queue.notify({job.queue})
    except IntegrityError as error:
        raise KeyTaken(f"Another unfinished job holds the key of job {job_id}.") from error
    job.refresh_from_db()
    return job
