"""One verb on many jobs: each in a transaction of its own, so that one refusal stops no other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from accounts.permissions import require
from controlplane.actors import Actor
from controlplane.errors import ControlPlaneError, InvalidInput, NotFound
from jobs import lifecycle
from jobs.actions.cancel import cancel_job
from jobs.actions.retry import discard_job, retry_job
from jobs.errors import CannotCancel, CannotRetry, InvalidTransition
from jobs.models import Job
from jobs.queries import visible_job

#: Jobs in one call.
MAX_JOBS = 1_000

VERBS: dict[str, Callable[..., Job]] = {
    "cancel": cancel_job,
    "retry": retry_job,
    "discard": discard_job,
}
_REFUSALS = {"cancel": CannotCancel, "retry": CannotRetry, "discard": InvalidTransition}


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one job; `error` is None where the verb was, or would be, obeyed.

    `status` is the job's state afterwards; empty for one that the actor may not see.
    """

    job_id: int
    status: str
    error: ControlPlaneError | None = None


def act_on_jobs(
    *, verb: str, job_ids: Sequence[int], actor: Actor, reason: str = "", dry_run: bool = False
) -> list[Result]:
    """Apply a verb of VERBS to each job, in the order of ids; one id given twice counts once.

    `dry_run` changes nothing and says what would happen now. Raises InvalidInput (field verb or
    ids) for the call as a whole.
    """
    if verb not in VERBS:
        raise InvalidInput(f"verb must be one of {', '.join(VERBS)}.", field="verb")
    if not 1 <= len(job_ids) <= MAX_JOBS:
        raise InvalidInput(f"Give from 1 to {MAX_JOBS} ids, not {len(job_ids)}.", field="ids")
    return [
        _outcome(verb, job_id, actor, reason, dry_run=dry_run) for job_id in sorted(set(job_ids))
    ]


def _outcome(verb: str, job_id: int, actor: Actor, reason: str, *, dry_run: bool) -> Result:
    try:
        if dry_run:
            job = _would_obey(verb, job_id, actor)
        else:
            job = VERBS[verb](job_id=job_id, actor=actor, reason=reason)
    except ControlPlaneError as error:
        if isinstance(error, NotFound):
            return Result(job_id, "", error)
        return Result(job_id, Job.objects.values_list("status", flat=True).get(id=job_id), error)
    return Result(job_id, job.status)


def _would_obey(verb: str, job_id: int, actor: Actor) -> Job:
    job = visible_job(actor, job_id)
    require(actor, "jobs.act", owner_id=job.owner_id)
    if verb not in lifecycle.verbs_for(job.status):
        raise _REFUSALS[verb](f"Job {job_id} is {job.status}; {verb} is not possible from there.")
    return job
