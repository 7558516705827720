"""Run a schedule for a past range of times, as jobs; a dry run lists them first."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, takewhile

from django.db import transaction

from audit import recorder
from audit.vocabulary import EventType
from controlplane.actors import Actor
from jobs.registry import task_named
from jobs.validation import plain_text
from scheduling.actions.limit import require_within_limit
from scheduling.actions.locking import Locked, lock_schedule, require_source
from scheduling.due_times import Fate, Slot
from scheduling.errors import InvalidSchedule
from scheduling.firings import fire
from scheduling.models import Firing
from scheduling.targets import target
from scheduling.times import fires

#: Most times of one call, those that have been run before included.
MAX_BACKFILL = 1000
_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Backfill:
    """The times to run (or run now), how many a backfill has run before, and the firings made."""

    times: list[datetime]
    run_before: int
    firings: list[Firing]


def backfill_schedule(
    *,
    schedule_id: int,
    actor: Actor,
    since: datetime,
    until: datetime,
    dry_run: bool = True,
    reason: str = "",
) -> Backfill:
    """The schedule's times from `since` to `until`, both included and past: each becomes a job.

    No time is backfilled twice. Unless overlap is allowed the jobs run one after another, and times
    that come due meanwhile are skipped. Raises InvalidSchedule for a range without sense or with
    more than MAX_BACKFILL times, InvalidTransition without times, TaskNotFound,
    ScheduleLimitReached, ScheduleNotFound or PermissionDenied.
    """
    reason = plain_text(reason, field="reason", maximum=200)
    with transaction.atomic():
        locked = lock_schedule(schedule_id, actor=actor)
        schedule = locked.schedule
        require_source(schedule, "backfill")
        task_named(schedule.task)
        require_within_limit(schedule)
        found = _times(locked, since, until)
        known = set(
            Firing.objects.filter(
                schedule=schedule, kind=Firing.Kind.BACKFILL, nominal_time__in=found
            ).values_list("nominal_time", flat=True)
        )
        times = [time for time in found if time not in known]
        if dry_run or not times:
            return Backfill(times, len(known), [])
        slots = [(schedule, Slot(time, Fate.QUEUE_UP, reason)) for time in times]
        firings = fire(slots, kind=Firing.Kind.BACKFILL, now=locked.now)
        facts = {"since": since.isoformat(), "until": until.isoformat(), "times": len(times)}
        facts |= {"reason": reason} if reason else {}
        recorder.record(
            EventType.SCHEDULE_BACKFILLED, target(schedule), actor=actor, metadata=facts
        )
        return Backfill(times, len(known), firings)


def _times(locked: Locked, since: datetime, until: datetime) -> list[datetime]:
    for field, moment in (("since", since), ("until", until)):
        if moment.tzinfo is None:
            raise InvalidSchedule(f"{field} must be a time with its zone.", field=field)
    if until > locked.now:
        raise InvalidSchedule("until must be a time that has passed.", field="until")
    if since > until:
        raise InvalidSchedule("since must not be later than until.", field="since")
    passed = takewhile(lambda t: t <= until, fires(locked.schedule.times, since - _INSTANT))
    found = list(islice(passed, MAX_BACKFILL + 1))
    if len(found) > MAX_BACKFILL:
        raise InvalidSchedule(
            f"The range has more than {MAX_BACKFILL} times; the first {MAX_BACKFILL} end at "
            f"{found[-2].isoformat()}.",
            field="until",
        )
    return found
