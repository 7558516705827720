"""Which times of a schedule to fire now, which were missed, and when to look again. Pure."""

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, takewhile

from scheduling.lifecycle import MissedPolicy
from scheduling.times import Times, fires, last_fire, last_fires, moved, next_fire

#: A time that nobody dealt with for so long counts as missed; until then it is merely late.
MISSED_AFTER = timedelta(seconds=60)
#: Missed times are counted up to here; beyond, it is enough to know that there were more.
COUNTED = 1000
_INSTANT = timedelta(microseconds=1)


class Fate(enum.Enum):
    """What should become of a time."""

    RUN = enum.auto()
    MAKE_UP = enum.auto()  # missed: one job for it
    QUEUE_UP = enum.auto()  # missed: a job of its own, after those before it
    COALESCE = enum.auto()  # another time's job stands for it
    MISS = enum.auto()


@dataclass(frozen=True, slots=True)
class Slot:
    """One time to record. Without a job of its own it may stand for several, told in the reason."""

    nominal_time: datetime
    fate: Fate = Fate.RUN
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MissedRule:
    """What is made up for: by which policy, not older than `window`, and of run_all how many."""

    policy: str = MissedPolicy.RUN_ONCE
    window: timedelta = timedelta(days=1)
    limit: int = 10


@dataclass(frozen=True, slots=True)
class DueTimes:
    """What is due of one schedule. `following` is its next time; None when none is left."""

    slots: tuple[Slot, ...]
    following: datetime | None


def due_times(times: Times, first: datetime, now: datetime, rule: MissedRule) -> DueTimes:
    """The times from `first`, which is due, until `now`.

    Late times are all fired. Missed ones are dealt with by the rule: a job for the last of all, or
    for each of the last ones; the others are told of in one row. Raises InvalidCron or InvalidZone.
    """
    following = next_fire(times, now)
    if first >= now - MISSED_AFTER:
        found = (first, *_until(times, first, now))
        return DueTimes(tuple(Slot(time, reason=moved(times, time)) for time in found), following)
    if rule.policy == MissedPolicy.RUN_ALL:
        slots = _run_all(times, first, now, rule)
    elif rule.policy == MissedPolicy.RUN_ONCE:
        slots = _run_once(times, first, now, rule)
    else:
        slots = _skip(times, first, now, "no scheduler was running")
    return DueTimes(slots, following)


def _skip(times: Times, first: datetime, now: datetime, why: str) -> tuple[Slot, ...]:
    last = last_fire(times, first, now - MISSED_AFTER - _INSTANT) or first
    recent = _until(times, last, now)
    due = (Slot(time, reason=moved(times, time)) for time in recent)
    return (_missed(times, first, last, why), *due)


def _run_once(times: Times, first: datetime, now: datetime, rule: MissedRule) -> tuple[Slot, ...]:
    last = last_fire(times, first, now) or first
    if last < now - rule.window:
        return (_missed(times, first, last, f"older than its window of {rule.window}"),)
    missed = last < now - MISSED_AFTER
    made = Slot(last, Fate.MAKE_UP if missed else Fate.RUN, _known(times, last, now))
    if first == last:
        return (made,)
    before = last_fire(times, first, last - _INSTANT) or first
    how_many = counted(times, first, before)
    told = f"{how_many} missed since {shown(first)}: the job of {shown(last)} stands for all"
    return (Slot(first, Fate.COALESCE, told), made)


def _run_all(times: Times, first: datetime, now: datetime, rule: MissedRule) -> tuple[Slot, ...]:
    since = max(first - _INSTANT, now - rule.window)
    made = last_fires(times, since, now, rule.limit)
    if not made:
        return (_missed(times, first, first, f"older than its window of {rule.window}"),)
    slots = tuple(Slot(time, Fate.QUEUE_UP, _known(times, time, now)) for time in made)
    left = last_fire(times, first - _INSTANT, made[0] - _INSTANT)
    if left is None:
        return slots
    why = f"beyond the last {rule.limit} or older than {rule.window}"
    return (_missed(times, first, left, why), *slots)


def _missed(times: Times, first: datetime, last: datetime, why: str) -> Slot:
    if first != last:
        why = f"{why}: {counted(times, first, last)} since {shown(first)}"
    return Slot(last, Fate.MISS, why)


def _known(times: Times, time: datetime, now: datetime) -> str:
    late = timedelta(seconds=round((now - time).total_seconds()))
    made_up = f"made up for, {late} late" if time < now - MISSED_AFTER else ""
    return ", ".join(part for part in (moved(times, time), made_up) if part)


def _until(times: Times, after: datetime, now: datetime) -> Iterator[datetime]:
    return takewhile(lambda time: time <= now, fires(times, after))


def counted(times: Times, first: datetime, last: datetime) -> str:
    """How many times lie from `first` to `last`, both counted, in words."""
    later = sum(1 for _ in islice(_until(times, first, last), COUNTED))
    return f"more than {COUNTED}" if later == COUNTED else str(later + 1)


def shown(time: datetime) -> str:
    """A time as the history's reasons spell it."""
    return f"{time:%Y-%m-%d %H:%M:%SZ}"
