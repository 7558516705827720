"""Times become jobs where they should, and rows of the history in any case."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from audit import recorder
from audit.models import AuditEvent
from audit.vocabulary import EventType
from controlplane.actors import SYSTEM
from controlplane.events import log_event
from jobs.actions.behind import Placed, Turn, enqueue_behind
from jobs.actions.enqueue import Enqueued, enqueue_many
from scheduling.due_times import MISSED_AFTER, Fate, Slot
from scheduling.lifecycle import OverlapPolicy
from scheduling.models import Firing, JobSchedule
from scheduling.requests import WAITING, job_request, next_turn, own_turn
from scheduling.targets import target

#: Of more firings than this at once the log tells the number only; the history has each.
MAX_LINES = 20

type Wanted = tuple[JobSchedule, Slot]

_WITHOUT_JOB = {
    Fate.MISS: Firing.Outcome.MISSED,
    Fate.COALESCE: Firing.Outcome.COALESCED,
}


def fire(wanted: Sequence[Wanted], *, kind: str, now: datetime) -> list[Firing]:
    """Make the jobs of these times, write their firings and events; in the caller's transaction.

    The schedules are locked. Each time is without a firing of this kind yet.
    """
    wanted = list(_last_ones_only(wanted))
    told = [pair for pair in wanted if pair[1].fate in _WITHOUT_JOB]
    alone = [pair for pair in wanted if pair[1].fate not in _WITHOUT_JOB and not _waits(pair)]
    behind = [pair for pair in wanted if pair[1].fate not in _WITHOUT_JOB and _waits(pair)]
    firings = [_firing(pair, kind, now, _WITHOUT_JOB[pair[1].fate]) for pair in told]
    if alone:
        made = enqueue_many([job_request(s, slot.nominal_time) for s, slot in alone], actor=SYSTEM)
        firings += [_fired(p, kind, now, job) for p, job in zip(alone, made, strict=True)]
    if behind:
        placed = enqueue_behind([_turn(pair, kind) for pair in behind], actor=SYSTEM)
        firings += [_placed(p, kind, now, job) for p, job in zip(behind, placed, strict=True)]
    Firing.objects.bulk_create(firings)
    recorder.record_all(_event(firing) for firing in firings)
    _log(firings)
    return firings


def _last_ones_only(wanted: Sequence[Wanted]) -> Iterator[Wanted]:
    """Of several due times a job that cancels the earlier one is made for the last one only."""
    last = {
        schedule.id: slot.nominal_time
        for schedule, slot in wanted
        if schedule.overlap_policy == OverlapPolicy.CANCEL_RUNNING and slot.fate is Fate.RUN
    }
    for schedule, slot in wanted:
        if slot.fate is Fate.RUN and slot.nominal_time < last.get(schedule.id, slot.nominal_time):
            yield schedule, replace(slot, fate=Fate.COALESCE, reason="a later time was due already")
        else:
            yield schedule, slot


def _waits(pair: Wanted) -> bool:
    """Whether its job may wait for an earlier one instead of being refused."""
    schedule, slot = pair
    if schedule.overlap_policy == OverlapPolicy.ALLOW:
        return False
    return schedule.overlap_policy in WAITING or slot.fate is Fate.QUEUE_UP


def _turn(pair: Wanted, kind: str) -> Turn:
    schedule, slot = pair
    if slot.fate is Fate.QUEUE_UP:
        return own_turn(schedule, slot.nominal_time, kind)
    return next_turn(schedule, slot.nominal_time)


def _firing(
    pair: Wanted,
    kind: str,
    now: datetime,
    outcome: str,
    *,
    job_id: int | None = None,
    reason: str = "",
) -> Firing:
    schedule, slot = pair
    late = now - slot.nominal_time if kind == Firing.Kind.DUE else None
    return Firing(
        schedule=schedule,
        nominal_time=slot.nominal_time,
        kind=kind,
        outcome=outcome,
        job_id=job_id,
        lateness_ms=0 if late is None else round(late.total_seconds() * 1000),
        reason=", ".join(part for part in (slot.reason, reason) if part)[:255],
    )


def _on_time(pair: Wanted, kind: str, now: datetime) -> str:
    late = kind == Firing.Kind.DUE and now - pair[1].nominal_time > MISSED_AFTER
    return Firing.Outcome.LATE if late else Firing.Outcome.ENQUEUED


def _fired(pair: Wanted, kind: str, now: datetime, made: Enqueued | None) -> Firing:
    if made is None:
        return _skipped(pair, kind, now, "an earlier job is unfinished")
    if not made.created:
        return _skipped(pair, kind, now, f"job {made.job_id} holds the task's unique key")
    return _firing(pair, kind, now, _on_time(pair, kind, now), job_id=made.job_id)


def _placed(pair: Wanted, kind: str, now: datetime, placed: Placed | None) -> Firing:
    if placed is None:
        return _skipped(pair, kind, now, "an earlier job is unfinished and one waits for it")
    if not placed.created:
        return _skipped(pair, kind, now, f"job {placed.job_id} holds the task's unique key")
    outcome, reason = _on_time(pair, kind, now), ""
    if placed.behind is not None and pair[1].fate is not Fate.QUEUE_UP:
        outcome = Firing.Outcome.BUFFERED
        reason = f"waits for job {placed.behind}"
        if placed.cancels:
            outcome = Firing.Outcome.CANCELLED_RUNNING
            reason = f"job {placed.behind} was asked to stop for it"
    return _firing(pair, kind, now, outcome, job_id=placed.job_id, reason=reason)


def _skipped(pair: Wanted, kind: str, now: datetime, why: str) -> Firing:
    return _firing(pair, kind, now, Firing.Outcome.SKIPPED_OVERLAP, reason=why)


def _event(firing: Firing) -> AuditEvent:
    facts = {
        "nominal_time": firing.nominal_time.isoformat(),
        "outcome": str(firing.outcome),
        "kind": str(firing.kind),
        "reason": firing.reason,
        "job_id": firing.job_id,
    }
    return recorder.event(
        EventType.SCHEDULE_FIRED if firing.made_job else EventType.SCHEDULE_SKIPPED,
        target(firing.schedule),
        actor=SYSTEM,
        metadata={name: fact for name, fact in facts.items() if fact},
    )


def _log(firings: Sequence[Firing]) -> None:
    """A line for each that made no job; those that did share one where they are many."""
    made = [firing for firing in firings if firing.made_job]
    if len(made) > MAX_LINES:
        log_event("scheduler.fired_many", count=len(made))
    for firing in firings:
        facts = {"schedule_id": firing.schedule_id, "name": firing.schedule.name}
        if not firing.made_job:
            log_event("scheduler.skipped", **facts, reason=firing.reason)
        elif len(made) <= MAX_LINES:
            log_event("scheduler.fired", **facts, job_id=firing.job_id)
