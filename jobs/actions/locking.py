"""How an action gets at its job: locked, and looking as if it did not exist to those who may not
see it.
"""

from accounts.permissions import require
from controlplane.actors import Actor
from controlplane.errors import NotFound
from jobs.models import Job


def lock_job(job_id: int, *, actor: Actor) -> Job:
    """The job, locked for this transaction. Raises NotFound or PermissionDenied."""
    try:
        job = Job.objects.select_for_update().get(id=job_id)
        require(actor, "jobs.act", owner_id=job.owner_id)
    except (Job.DoesNotExist, NotFound):
        raise NotFound(f"There is no job {job_id}.") from None
    return job
