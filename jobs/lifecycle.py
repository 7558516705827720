"""States of jobs and executions, every legal transition, and the guarded write: the one place.

Nothing else assigns a status. Constraints, indexes, buttons, the API's enumeration and the diagram
in docs/lifecycle.md derive from the table below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Q, TextChoices
from django.db.models.functions import Now

from audit.vocabulary import EventType

if TYPE_CHECKING:
    from jobs.querysets import ExecutionQuerySet, JobQuerySet


class Status(TextChoices):
    """State of a job."""

    PENDING = "PENDING"  # may be claimed now
    SCHEDULED = "SCHEDULED"  # waits for a time (run_after)
    BLOCKED = "BLOCKED"  # waits for other jobs, or for a free slot of a limit
    RUNNING = "RUNNING"  # claimed by an executor; exactly one execution is RUNNING
    SUCCEEDED = "SUCCEEDED"  # final
    FAILED = "FAILED"  # rests here until its next attempt (run_after)
    CANCELLED = "CANCELLED"  # final
    DEAD_LETTER = "DEAD_LETTER"  # given up; a person may retry or discard it
    NEEDS_VERIFICATION = (
        "NEEDS_VERIFICATION"  # an irreversible effect may have happened: a person decides
    )


class Outcome(TextChoices):
    """State of an execution, which is one attempt at a job."""

    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    TIMED_OUT = "TIMED_OUT"  # its own timeout, or its lease ran out
    CANCELLED = "CANCELLED"
    INTERRUPTED = "INTERRUPTED"  # handed back, or its process died


@dataclass(frozen=True, slots=True)
class Transition:
    """One edge. `event` is the audit event that commits with it; `verb` names the person's action,
    if it is one.
    """

    name: str
    sources: tuple[Status, ...]
    target: Status
    event: EventType
    verb: str = ""
    #: The job keeps its age in the queue; else it queues again behind its equals.
    keeps_place: bool = False


CLAIM = Transition("claim", (Status.PENDING,), Status.RUNNING, EventType.JOB_STARTED)
SUCCEED = Transition("succeed", (Status.RUNNING,), Status.SUCCEEDED, EventType.JOB_SUCCEEDED)
FAIL = Transition("fail", (Status.RUNNING,), Status.FAILED, EventType.JOB_FAILED)
EXPIRE = Transition("expire", (Status.RUNNING,), Status.FAILED, EventType.JOB_TIMED_OUT)
GIVE_UP = Transition("give_up", (Status.FAILED,), Status.DEAD_LETTER, EventType.JOB_DEAD_LETTERED)
RETRY_DUE = Transition("retry_due", (Status.FAILED,), Status.PENDING, EventType.JOB_REQUEUED)
BECOME_DUE = Transition("become_due", (Status.SCHEDULED,), Status.PENDING, EventType.JOB_DUE)
BLOCK = Transition("block", (Status.PENDING,), Status.BLOCKED, EventType.JOB_BLOCKED)
UNBLOCK = Transition("unblock", (Status.BLOCKED,), Status.PENDING, EventType.JOB_UNBLOCKED)
HAND_BACK = Transition(
    "hand_back",
    (Status.RUNNING,),
    Status.PENDING,
    EventType.JOB_HANDED_BACK,
    keeps_place=True,
)
SNOOZE = Transition("snooze", (Status.RUNNING,), Status.SCHEDULED, EventType.JOB_SNOOZED)
DOUBT = Transition(
    "doubt",
    (Status.RUNNING,),
    Status.NEEDS_VERIFICATION,
    EventType.JOB_NEEDS_VERIFICATION,
)
CANCEL_RUNNING = Transition(
    "cancel_running", (Status.RUNNING,), Status.CANCELLED, EventType.JOB_CANCELLED
)
CANCEL = Transition(
    "cancel",
    (Status.SCHEDULED, Status.BLOCKED, Status.PENDING, Status.FAILED),
    Status.CANCELLED,
    EventType.JOB_CANCELLED,
    verb="cancel",
)
RETRY = Transition(
    "retry", (Status.DEAD_LETTER,), Status.PENDING, EventType.JOB_RETRIED, verb="retry"
)
DISCARD = Transition(
    "discard",
    (Status.DEAD_LETTER,),
    Status.CANCELLED,
    EventType.JOB_DISCARDED,
    verb="discard",
)
CONFIRM = Transition(
    "confirm",
    (Status.NEEDS_VERIFICATION,),
    Status.SUCCEEDED,
    EventType.JOB_VERIFIED,
    verb="confirm",
)
REPEAT = Transition(
    "repeat",
    (Status.NEEDS_VERIFICATION,),
    Status.PENDING,
    EventType.JOB_VERIFIED,
    verb="repeat",
)
ABANDON = Transition(
    "abandon",
    (Status.NEEDS_VERIFICATION,),
    Status.CANCELLED,
    EventType.JOB_VERIFIED,
    verb="abandon",
)

TRANSITIONS: tuple[Transition, ...] = (
    CLAIM,
    SUCCEED,
    FAIL,
    EXPIRE,
    GIVE_UP,
    RETRY_DUE,
    BECOME_DUE,
    BLOCK,
    UNBLOCK,
    HAND_BACK,
    SNOOZE,
    DOUBT,
    CANCEL_RUNNING,
    CANCEL,
    RETRY,
    DISCARD,
    CONFIRM,
    REPEAT,
    ABANDON,
)

#: Nothing leaves these.
FINAL = (Status.SUCCEEDED, Status.CANCELLED)
#: Nothing more happens without a person; `finished_at` is set exactly here.
ENDED = (Status.SUCCEEDED, Status.CANCELLED, Status.DEAD_LETTER)
#: Waits for a time; `run_after` is set exactly here.
TIMED = (Status.SCHEDULED, Status.FAILED)
#: The machine still has something to do: what a unique or overlap key holds on to.
UNFINISHED = (
    Status.PENDING,
    Status.SCHEDULED,
    Status.BLOCKED,
    Status.RUNNING,
    Status.FAILED,
)
#: Off the way of a job that just succeeds: what the pages' partial index holds, at no cost to the
#: rest.
NOTABLE = (
    Status.SCHEDULED,
    Status.BLOCKED,
    Status.FAILED,
    Status.CANCELLED,
    Status.DEAD_LETTER,
    Status.NEEDS_VERIFICATION,
)
#: A cancel takes effect at once from here, and is only requested while RUNNING.
CANCELLABLE = (*CANCEL.sources, Status.RUNNING)

KNOWN_STATUS = Q(status__in=[str(s) for s in Status])
FINISHED_AT_MATCHES = Q(status__in=[str(s) for s in ENDED], finished_at__isnull=False) | (
    ~Q(status__in=[str(s) for s in ENDED]) & Q(finished_at__isnull=True)
)
RUN_AFTER_MATCHES = Q(status__in=[str(s) for s in TIMED], run_after__isnull=False) | (
    ~Q(status__in=[str(s) for s in TIMED]) & Q(run_after__isnull=True)
)
#: One that waits for a key can neither run nor end other than by a cancel.
WAITS_MATCHES_STATUS = Q(waits_for_key__isnull=True) | Q(
    status__in=[str(Status.BLOCKED), str(Status.CANCELLED)]
)
QUEUED_AT_MATCHES = ~Q(status=str(Status.PENDING)) | Q(queued_at__isnull=False)
KNOWN_OUTCOME = Q(status__in=[str(o) for o in Outcome])
OUTCOME_FINISHED_AT_MATCHES = Q(status=str(Outcome.RUNNING), finished_at__isnull=True) | (
    ~Q(status=str(Outcome.RUNNING)) & Q(finished_at__isnull=False)
)


def stamps(transition: Transition) -> dict[str, Any]:
    """The columns that a transition always sets beside the status, so that the constraints above
    hold.
    """
    columns: dict[str, Any] = {
        "finished_at": Now() if transition.target in ENDED else None,
    }
    if transition.target not in TIMED:
        columns["run_after"] = None
    if transition.target is Status.PENDING and not transition.keeps_place:
        columns["queued_at"] = Now()
    return columns


def apply(transition: Transition, rows: JobQuerySet, **columns: Any) -> int:
    """Move those of `rows` that are in one of the transition's sources; return how many moved.

    The guard is in the statement itself: a row that another process moved meanwhile is not touched,
    and the caller learns it from the count. `columns` are further columns to set; the caller
    records the transition's audit event in the same transaction.
    """
    return rows.filter(status__in=transition.sources).update(
        status=transition.target, **(stamps(transition) | columns)
    )


def conclude(outcome: Outcome, executions: ExecutionQuerySet, **columns: Any) -> int:
    """End those of `executions` that are RUNNING; return how many ended. Guarded as `apply` is."""
    return executions.filter(status=Outcome.RUNNING).update(status=outcome, **columns)


def verbs_for(status: str) -> tuple[str, ...]:
    """The actions a person may ask for in this state, in the order of the table; what buttons are
    made from.
    """
    verbs = [t.verb for t in TRANSITIONS if t.verb and status in t.sources]
    if status == Status.RUNNING:
        verbs.append("cancel")
    return tuple(verbs)
