"""Cancel: at once while a job waits; as a request that its attempt sees while it runs."""

from django.db import transaction
from django.db.models.functions import Now

from audit import recorder
from audit.vocabulary import EventType
from controlplane.actors import Actor
from jobs import lifecycle, queue
from jobs.actions.locking import lock_job
from jobs.actions.transition import facts, target
from jobs.errors import CannotCancel
from jobs.lifecycle import Status
from jobs.models import Job
from jobs.waiting import release


def cancel_job(*, job_id: int, actor: Actor, reason: str = "") -> Job:
    """Cancel a job and return it as it is then: CANCELLED, or RUNNING with the request noted.

    The row is locked before it is read, so the answer is true also when an executor claims the job
    at this moment. Asking again for a running job changes nothing. Raises CannotCancel when the job
    has ended, NotFound or PermissionDenied.
    """
    metadata = facts(reason)
    with transaction.atomic():
        job = lock_job(job_id, actor=actor)
        if job.status == Status.RUNNING:
            _request(job, actor, metadata)
        elif lifecycle.apply(
            lifecycle.CANCEL, Job.objects.filter(id=job_id), cancel_requested_at=Now()
        ):
            metadata["previous_status"] = job.status
            recorder.record(lifecycle.CANCEL.event, target(job), actor=actor, metadata=metadata)
            queue.notify(release([job.overlap_key]))
        else:
            raise CannotCancel(f"Job {job_id} is {job.status}; there is nothing to cancel.")
    job.refresh_from_db()
    return job


def _request(job: Job, actor: Actor, metadata: dict[str, object]) -> None:
    running = Job.objects.filter(id=job.id, status=Status.RUNNING, cancel_requested_at__isnull=True)
    if running.update(cancel_requested_at=Now()):
        recorder.record(EventType.JOB_CANCEL_REQUESTED, target(job), actor=actor, metadata=metadata)
    queue.notify_cancel(job.id)
