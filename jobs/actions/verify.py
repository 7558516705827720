"""A person's decision on a job whose irreversible effect was begun and never confirmed."""

from controlplane.actors import Actor
from jobs import lifecycle
from jobs.actions.transition import move_job
from jobs.errors import InvalidTransition
from jobs.models import Job

#: decision -> transition
DECISIONS = {t.verb: t for t in (lifecycle.CONFIRM, lifecycle.REPEAT, lifecycle.ABANDON)}


def verify_job(*, job_id: int, decision: str, actor: Actor, reason: str = "") -> Job:
    """Settle a NEEDS_VERIFICATION job: `confirm` (it happened), `repeat` (run it again), `abandon`.

    Raises InvalidTransition for another decision or state, NotFound, PermissionDenied.
    """
    transition = DECISIONS.get(decision)
    if transition is None:
        known = ", ".join(DECISIONS)
        raise InvalidTransition(
            f"A decision is one of {known}, not {decision!r}.", field="decision"
        )
    columns = {"attempts_charged": 0, "reason": ""} if transition is lifecycle.REPEAT else {}
    return move_job(
        transition,
        job_id=job_id,
        actor=actor,
        reason=reason,
        refusal=InvalidTransition,
        columns=columns,
        metadata={"decision": decision},
    )
