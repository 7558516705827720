"""The two statuses of a schedule and what a person may ask for in each. Nothing else lists them.

`ScheduleStatus` is stored and tells what the clock may do. `ExecutionStatus` is never stored: it is
derived from executions that are RUNNING now, so that no crash can leave it behind.
"""

from functools import reduce
from operator import or_

from django.db.models import Q, TextChoices


class ScheduleStatus(TextChoices):
    """Whether the clock fires a schedule."""

    ENABLED = "ENABLED"  # fires; next_run_at is set exactly here
    PAUSED = "PAUSED"  # has times, keeps still until a person resumes it
    UNSCHEDULED = "UNSCHEDULED"  # has no times; runs only when a person asks
    TASK_NOT_FOUND = "TASK_NOT_FOUND"  # no live worker knows its task


class ExecutionStatus(TextChoices):
    """Whether a job of the schedule is running now."""

    READY = "READY"
    RUNNING = "RUNNING"


class OverlapPolicy(TextChoices):
    """What becomes of a firing while an earlier job of the schedule is unfinished."""

    SKIP = "skip", "skip: no second job, and the history says so"
    BUFFER_ONE = "buffer_one", "buffer one: one further job waits until the earlier one ends"
    CANCEL_RUNNING = "cancel_running", "cancel running: the earlier job is cancelled, then it runs"
    ALLOW = "allow", "allow: jobs may run side by side"


class MissedPolicy(TextChoices):
    """What becomes of times that passed while no scheduler was there to see them."""

    RUN_ONCE = "run_once", "run once: one job for all that was missed"
    RUN_ALL = "run_all", "run all: a job for each of the last ones, up to a limit"
    SKIP = "skip", "skip: none, and the history says so"


#: verb -> the schedule statuses from which a person may ask for it, in the order of buttons.
SOURCES: dict[str, tuple[ScheduleStatus, ...]] = {
    "run": (ScheduleStatus.ENABLED, ScheduleStatus.PAUSED, ScheduleStatus.UNSCHEDULED),
    "pause": (ScheduleStatus.ENABLED,),
    "resume": (ScheduleStatus.ENABLED, ScheduleStatus.PAUSED),
    "restore": (ScheduleStatus.TASK_NOT_FOUND,),
    "backfill": (ScheduleStatus.ENABLED, ScheduleStatus.PAUSED),
    "disable": tuple(ScheduleStatus),
}

#: Statuses in which a schedule has times at all.
TIMED = (ScheduleStatus.ENABLED, ScheduleStatus.PAUSED)

#: The columns that name times, each with what it holds when it names none. At most one does.
KINDS_OF_TIMES: dict[str, str | None] = {
    "cron": "",
    "interval_seconds": None,
    "interval_days": None,
    "run_at": None,
}
#: What an interval counts from belongs to it.
NO_TIMES = {**KINDS_OF_TIMES, "anchor_at": None}


def _unused(*kinds: str) -> Q:
    """None of these columns names times."""
    empty: dict[str, object] = {
        kind if none is not None else f"{kind}__isnull": none if none is not None else True
        for kind, none in NO_TIMES.items()
        if kind in kinds
    }
    return Q(**empty)


ONE_KIND_OF_TIMES = reduce(
    or_, (_unused(*(other for other in KINDS_OF_TIMES if other != kind)) for kind in KINDS_OF_TIMES)
)
KNOWN_STATUS = Q(schedule_status__in=[str(s) for s in ScheduleStatus])
TIMES_MATCH_STATUS = (
    Q(schedule_status=str(ScheduleStatus.TASK_NOT_FOUND))
    | (Q(schedule_status__in=[str(s) for s in TIMED]) & ~_unused(*KINDS_OF_TIMES))
    | (Q(schedule_status=str(ScheduleStatus.UNSCHEDULED)) & _unused(*KINDS_OF_TIMES))
)
ANCHOR_MATCHES_INTERVAL = _unused("interval_seconds", "interval_days", "anchor_at") | (
    ~_unused("interval_seconds", "interval_days") & ~_unused("anchor_at")
)
#: An enabled schedule without a next time would be silent for ever; so the database knows none.
NEXT_RUN_MATCHES_STATUS = Q(
    schedule_status=str(ScheduleStatus.ENABLED), next_run_at__isnull=False
) | (~Q(schedule_status=str(ScheduleStatus.ENABLED)) & Q(next_run_at__isnull=True))


def verbs_for(schedule_status: str, execution_status: str) -> tuple[str, ...]:
    """The actions a person may ask for in these states; what buttons are made from."""
    return tuple(
        verb
        for verb, sources in SOURCES.items()
        if schedule_status in sources
        and not (verb == "run" and execution_status == ExecutionStatus.RUNNING)
        and not (verb == "resume" and schedule_status == ScheduleStatus.ENABLED)
        and not (verb == "disable" and schedule_status == ScheduleStatus.UNSCHEDULED)
    )
