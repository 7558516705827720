"""How an attempt's end moves its job: the one rule behind reports, handed-back work, lost leases
and crashes.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models.functions import Now

from audit import recorder
from audit.models import AuditEvent
from audit.vocabulary import EventType
from controlplane import conf
from controlplane.actors import SYSTEM
from jobs import lifecycle, retry
from jobs.lifecycle import Outcome, Transition
from jobs.models import Job, JobExecution

#: Longest wait for a next attempt; what a task asks for beyond it would leave the calendar.
MAX_DELAY = timedelta(days=366)


class Fate(enum.Enum):
    """What should become of the job when it did not succeed, cancellation and exhausted attempts
    apart.
    """

    TRY_AGAIN = enum.auto()
    GIVE_UP = enum.auto()
    HAND_BACK = enum.auto()
    SNOOZE = enum.auto()
    VERIFY = enum.auto()


@dataclass(slots=True, kw_only=True)
class Ending:
    """The end of one attempt, as its executor, the keeper or the watchdog tells it."""

    outcome: Outcome
    fate: Fate
    started_at: datetime | None = None
    finished_at: datetime | None = None
    charged: bool = True
    #: The process died under it. The job is then a suspect, and runs next alone.
    crashed: bool = False
    #: It may have been running when its process died, nobody can tell: a suspect too, but not
    #: charged.
    doubtful: bool = False
    error_code: str = ""
    error_class: str = ""
    error_message: str = ""
    traceback: str = ""
    #: Seconds until the next attempt; None: by the default back-off.
    retry_delay: float | None = None
    #: Why it is given up (Fate.GIVE_UP).
    reason: str = ""
    snooze_delay: timedelta | None = None
    snooze_until: datetime | None = None
    #: It ran alone in a child process.
    alone: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)


def settle(job: Job, execution: JobExecution, ending: Ending) -> list[AuditEvent]:
    """Write the end of an attempt and move its job; return the events to record in the same
    transaction.

    The caller has locked the execution, then the job, and seen the execution RUNNING and its own.
    Returns no events, and changes nothing, when the execution turns out not to be RUNNING.
    """
    ended = lifecycle.conclude(
        ending.outcome,
        JobExecution.objects.filter(id=execution.id),
        started_at=execution.started_at or ending.started_at,
        finished_at=ending.finished_at or Now(),
        charged=ending.charged,
        alone=ending.alone or execution.alone,
        error_code=ending.error_code,
        error_class=ending.error_class,
        error_message=ending.error_message,
        traceback=ending.traceback,
    )
    if ended != 1:
        return []
    events = []
    if execution.started_at is None and ending.started_at is not None:
        started = _event(EventType.JOB_STARTED, job, {"attempt": execution.number})
        started.occurred_at = ending.started_at
        events.append(started)
    _move(job, execution, ending, events)
    return events


def _move(job: Job, execution: JobExecution, ending: Ending, events: list[AuditEvent]) -> None:
    facts: dict[str, Any] = {"attempt": execution.number, **ending.metadata}
    if ending.error_code:
        facts["error_code"] = ending.error_code
    columns = _accounting(job, execution, ending)
    if job.cancel_requested_at is not None:
        facts["outcome"] = str(ending.outcome)
        _apply(lifecycle.CANCEL_RUNNING, job, facts, events, **columns)
    elif ending.fate is Fate.HAND_BACK:
        _apply(lifecycle.HAND_BACK, job, facts, events, **columns)
    elif ending.fate is Fate.SNOOZE:
        due = ending.snooze_until or Now() + min(ending.snooze_delay or timedelta(), MAX_DELAY)
        _apply(lifecycle.SNOOZE, job, facts, events, run_after=due, **columns)
    elif ending.fate is Fate.VERIFY:
        _apply(lifecycle.DOUBT, job, facts, events, reason=ending.reason, **columns)
    else:
        _fail(job, ending, columns, facts, events)


def _fail(
    job: Job,
    ending: Ending,
    columns: dict[str, Any],
    facts: dict[str, Any],
    events: list[AuditEvent],
) -> None:
    transition = lifecycle.EXPIRE if ending.outcome is Outcome.TIMED_OUT else lifecycle.FAIL
    charged = columns["attempts_charged"]
    delay = ending.retry_delay
    if delay is None:
        delay = retry.default_backoff().delay(charged)
    due = Now() + bounded(delay)
    _apply(transition, job, facts, events, run_after=due, **columns)
    reason = _why_give_up(job, ending, columns)
    if reason:
        facts = {"attempt": facts["attempt"], "reason": reason}
        _apply(lifecycle.GIVE_UP, job, facts, events, reason=reason)


def bounded(seconds: float) -> timedelta:
    """A delay from 0 to MAX_DELAY, whatever number a policy gives: NaN and infinity too."""
    longest = MAX_DELAY.total_seconds()
    return timedelta(seconds=min(max(0.0, seconds), longest))


def _why_give_up(job: Job, ending: Ending, columns: Mapping[str, Any]) -> str:
    if ending.fate is Fate.GIVE_UP:
        return ending.reason or "not_retryable"
    if columns.get("crashes_alone", 0) >= conf.options().max_crashes_alone:
        return "crashed"
    if columns["attempts_charged"] >= job.max_attempts:
        return "attempts_exhausted"
    return ""


def _accounting(job: Job, execution: JobExecution, ending: Ending) -> dict[str, Any]:
    """What the end costs the job. Each figure is set from the locked row, so a repeat cannot count
    twice.
    """
    columns: dict[str, Any] = {"attempts_charged": job.attempts_charged + int(ending.charged)}
    if ending.crashed or ending.doubtful:
        columns |= {"suspect": True, "isolated": True}
        if ending.crashed and (ending.alone or execution.alone):
            columns["crashes_alone"] = job.crashes_alone + 1
    elif ending.fate is not Fate.HAND_BACK:
        columns["suspect"] = False
    return columns


def _apply(
    transition: Transition,
    job: Job,
    facts: Mapping[str, Any],
    events: list[AuditEvent],
    **columns: Any,
) -> None:
    moved = lifecycle.apply(transition, Job.objects.filter(id=job.id), **columns)
    if moved != 1:
        raise RuntimeError(
            f"job {job.id} left its state while locked: {transition.name} moved {moved} rows."
        )
    events.append(_event(transition.event, job, facts))


def _event(event_type: EventType, job: Job, facts: Mapping[str, Any]) -> AuditEvent:
    target = recorder.Target("job", job.id, job.task)
    return recorder.event(event_type, target, actor=SYSTEM, metadata=facts)
