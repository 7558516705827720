"""Retry a job that was given up, with a fresh budget of attempts; or discard it."""

from controlplane.actors import Actor
from jobs import lifecycle
from jobs.actions.transition import move_job
from jobs.errors import CannotRetry, InvalidTransition
from jobs.models import Job


def retry_job(*, job_id: int, actor: Actor, reason: str = "") -> Job:
    """DEAD_LETTER to PENDING. Raises CannotRetry from any other state, KeyTaken, NotFound,
    PermissionDenied.
    """
    return move_job(
        lifecycle.RETRY,
        job_id=job_id,
        actor=actor,
        reason=reason,
        refusal=CannotRetry,
        columns={
            "attempts_charged": 0,
            "crashes_alone": 0,
            "cancel_requested_at": None,
            "reason": "",
        },
    )


def discard_job(*, job_id: int, actor: Actor, reason: str = "") -> Job:
    """DEAD_LETTER to CANCELLED. Raises InvalidTransition from any other state, NotFound,
    PermissionDenied.
    """
    return move_job(
        lifecycle.DISCARD, job_id=job_id, actor=actor, reason=reason, refusal=InvalidTransition
    )
