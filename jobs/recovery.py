"""Leases kept and lost, and jobs whose time has come: what the keeper and the watchdog do by query.

Same lock order as jobs/queue.py: executions by ascending id, then jobs by ascending id.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now

from audit import recorder
from controlplane import conf
from controlplane.actors import SYSTEM
from jobs import lifecycle
from jobs.lifecycle import Outcome, Transition
from jobs.models import Job, JobExecution
from jobs.queue import lock_executions, notify, settle_all
from jobs.settlement import Ending, Fate
from jobs.waiting import release_stranded


def renew_leases(worker_id: int, execution_ids: Collection[int]) -> int:
    """Extend the leases of these executions, if this worker still holds them; return how many.

    An execution that its own executor does not know of, because the answer to its claim was lost,
    is not among them: its lease runs out. A row that is being settled at this moment is skipped,
    so that a long completion stalls no other lease.
    """
    with transaction.atomic():
        rows = lock_executions(execution_ids, skip_locked=True)
        ids = [execution.id for execution in rows if execution.is_held_by(worker_id)]
        lease = timedelta(seconds=conf.options().lease_seconds)
        held = JobExecution.objects.running().filter(id__in=ids)
        return held.update(lease_expires_at=Now() + lease)


def reclaim_expired(limit: int) -> int:
    """Settle executions whose lease has run out, oldest first; return how many."""
    with transaction.atomic():
        expired = list(
            JobExecution.objects.expired()
            .order_by("id")
            .select_for_update(no_key=True, skip_locked=True)[:limit]
        )
        settle_all(expired, {execution.id: _lost(execution) for execution in expired})
    return len(expired)


def _lost(execution: JobExecution) -> Ending:
    """A lease ran out. Without a recorded start nobody can tell whether the task had begun."""
    at = execution.lease_expires_at.isoformat()
    message = f"The lease ran out at {at}; its executor is gone or frozen."
    if execution.started_at is None:
        return Ending(
            outcome=Outcome.INTERRUPTED,
            fate=Fate.HAND_BACK,
            charged=False,
            doubtful=True,
            error_code="lease_expired",
            error_message=message,
        )
    return Ending(
        outcome=Outcome.TIMED_OUT,
        fate=Fate.TRY_AGAIN,
        crashed=True,
        error_code="lease_expired",
        error_message=message,
        metadata={"reason": "lease_expired"},
    )


def recover(worker_id: int, *, started: Mapping[int, bool]) -> tuple[int, int]:
    """Settle everything a dead executor held, from what its keeper saw; return (charged, handed
    back).

    `started` holds the executions that had begun, each with whether it ran alone in a child
    process.
    """
    with transaction.atomic():
        held = list(
            JobExecution.objects.held_by(worker_id).order_by("id").select_for_update(no_key=True)
        )
        endings = {}
        for execution in held:
            begun = execution.id in started or execution.started_at is not None
            endings[execution.id] = (
                _died(started.get(execution.id, False)) if begun else _unstarted()
            )
        settle_all(held, endings)
    charged = sum(ending.charged for ending in endings.values())
    return charged, len(held) - charged


def _died(alone: bool) -> Ending:
    return Ending(
        outcome=Outcome.INTERRUPTED,
        fate=Fate.TRY_AGAIN,
        # Alone in a child it had no hand in its executor's death: what it was suspected of before
        # stands, but this does not count as a crash of its own.
        crashed=not alone,
        doubtful=alone,
        alone=alone,
        error_code="executor_died",
        error_message="The executor process died while this attempt was running.",
    )


def _unstarted() -> Ending:
    return Ending(
        outcome=Outcome.INTERRUPTED,
        fate=Fate.HAND_BACK,
        charged=False,
        error_code="executor_died",
        error_message="The executor process died before this attempt began.",
    )


def promote_due(limit: int) -> int:
    """Make due SCHEDULED and FAILED jobs PENDING; return how many. Cheap when there are none."""
    with transaction.atomic():
        due = list(
            Job.objects.due()
            .order_by("run_after")
            .select_for_update(no_key=True, skip_locked=True)
            .values_list("id", "task", "queue", "status")[:limit]
        )
        for transition in (lifecycle.BECOME_DUE, lifecycle.RETRY_DUE):
            _promote(transition, [row for row in due if row[3] in transition.sources])
        notify({queue for _, _, queue, _ in due})
    return len(due)


def unblock_stranded(limit: int) -> None:
    """Let jobs go on that wait for an overlap key which nobody holds: a process of an earlier
    release may have ended the holder.
    """
    with transaction.atomic():
        notify(release_stranded(limit))


def _promote(transition: Transition, rows: Sequence[tuple[int, str, str, str]]) -> None:
    if not rows:
        return
    moved = lifecycle.apply(transition, Job.objects.filter(id__in=[row[0] for row in rows]))
    if moved != len(rows):
        raise RuntimeError(f"{transition.name}: {len(rows)} jobs were locked, {moved} moved.")
    recorder.record_all(
        recorder.event(transition.event, recorder.Target("job", id_, task), actor=SYSTEM)
        for id_, task, _, _ in rows
    )
