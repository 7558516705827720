"""Which times of a schedule to fire now, which were missed, and when to look again. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, takewhile

from scheduling import cron
from scheduling.lifecycle import MissedPolicy

#: A time that nobody dealt with for so long counts as missed; until then it is merely late.
MISSED_AFTER = timedelta(seconds=60)
#: Missed times are counted up to here; beyond, it is enough to know that there were more.
COUNTED = 100


@dataclass(frozen=True, slots=True)
class Slot:
    """One time to record: as a job to be made, or as missed."""

    nominal_time: datetime
    missed: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DueTimes:
    """What is due of one schedule. `following` is its next time; None when the calendar ends."""

    slots: tuple[Slot, ...]
    following: datetime | None


def due_times(expression: str, zone: str, first: datetime, now: datetime, policy: str) -> DueTimes:
    """The times from `first`, which is due, until `now`.

    Late times are all fired. Missed ones are dealt with by the policy: one job for all of them and
    what is due beside them, or one row that tells of them. Raises InvalidCron or InvalidZone.
    """
    following = cron.next_fire(expression, zone, now)
    late_from = now - MISSED_AFTER
    if first >= late_from:
        times = (first, *_until(expression, zone, first, now))
        return DueTimes(tuple(Slot(time) for time in times), following)
    if policy == MissedPolicy.RUN_ONCE:
        last = cron.last_fire(expression, zone, first, now) or first
        return DueTimes(
            (Slot(last, reason=_made_up(expression, zone, first, last, now)),), following
        )
    last = cron.last_fire(expression, zone, first, late_from) or first
    told = Slot(last, missed=True, reason=_told(expression, zone, first, last))
    recent = _until(expression, zone, last, now)
    return DueTimes((told, *(Slot(time) for time in recent)), following)


def _until(expression: str, zone: str, after: datetime, now: datetime) -> Iterator[datetime]:
    return takewhile(lambda time: time <= now, cron.fires(expression, zone, after))


def _made_up(expression: str, zone: str, first: datetime, last: datetime, now: datetime) -> str:
    late = now - last
    lateness = f"{timedelta(seconds=round(late.total_seconds()))} late"
    if first == last:
        return f"made up for, {lateness}"
    earlier = _counted(expression, zone, first, last, -1)
    return f"made up for, {lateness}, with {earlier} earlier ones since {_shown(first)}"


def _told(expression: str, zone: str, first: datetime, last: datetime) -> str:
    if first == last:
        return "no scheduler was running"
    return (
        f"no scheduler was running: {_counted(expression, zone, first, last)} since {_shown(first)}"
    )


def _counted(expression: str, zone: str, first: datetime, last: datetime, offset: int = 0) -> str:
    """How many times lie from `first` to `last`, both counted, in words."""
    later = sum(1 for _ in islice(_until(expression, zone, first, last), COUNTED))
    return f"more than {COUNTED}" if later == COUNTED else str(later + 1 + offset)


def _shown(time: datetime) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%SZ")
