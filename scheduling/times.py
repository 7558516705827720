"""The times of a schedule, whatever names them: cron, an interval, or one moment. No ORM, no clock.

An interval in seconds counts elapsed time: across a change of the clock its wall time shifts. An
interval in days keeps the wall time of its anchor: it fires as a fixed cron does.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import count, takewhile

from scheduling import cron
from scheduling.cron_calendar import LAST_YEAR
from scheduling.cron_zones import first_instant, gap_before, wall_of, zone_named

#: Longest interval of either kind.
MAX_INTERVAL = timedelta(days=366)
#: Kept free at the end of the calendar, where offsets would leave it.
_END = datetime(LAST_YEAR, 12, 31, 23, 59, 59, tzinfo=UTC)
_INSTANT = timedelta(microseconds=1)
_FIRST_LOOK = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """What names the times: at most one of cron, interval_seconds, interval_days and run_at.

    An interval counts from `anchor_at`, which is its first time. Only times from `starts_at` to
    `ends_at`, both included, are times of the schedule.
    """

    cron: str = ""
    timezone: str = "UTC"
    interval_seconds: int | None = None
    interval_days: int | None = None
    anchor_at: datetime | None = None
    run_at: datetime | None = None
    starts_at: datetime | None = None
    ends_at: datetime | None = None

    def __bool__(self) -> bool:
        """Whether it names times at all."""
        return bool(self.cron or self.interval_seconds or self.interval_days or self.run_at)


def fires(times: Times, after: datetime) -> Iterator[datetime]:
    """All times strictly after `after`, in UTC, increasing, computed one at a time.

    Raises InvalidCron and InvalidZone.
    """
    start, end = times.starts_at, times.ends_at
    begin = after if start is None or start <= after else start - _INSTANT
    found = _unbounded(times, begin)
    return found if end is None else takewhile(lambda time: time <= end, found)


def next_fire(times: Times, after: datetime) -> datetime | None:
    """The first time strictly after `after`; None when there is none left."""
    return next(fires(times, after), None)


def last_fire(times: Times, since: datetime, until: datetime) -> datetime | None:
    """The latest time in (since, until], found by bisection: quick however many lie between."""
    found = next_fire(times, since)
    if found is None or found > until:
        return None
    end = until
    while True:
        later = next_fire(times, found)
        if later is None or later > until:
            return found
        middle = later + (end - later) / 2
        beyond = next_fire(times, middle)
        if beyond is None or beyond > until:
            found, end = later, middle
        else:
            found = beyond


def last_fires(times: Times, since: datetime, until: datetime, most: int) -> list[datetime]:
    """The latest times in (since, until], at most so many, in order. Looks back further and further
    until it has them.
    """
    look = _FIRST_LOOK
    while True:
        begin = since if until - since <= look else until - look
        found = deque(takewhile(lambda time: time <= until, fires(times, begin)), maxlen=most)
        if len(found) == most or begin == since:
            return list(found)
        look *= 4


def moved(times: Times, time: datetime) -> str:
    """What a reader of the history should know when the wall time meant did not exist."""
    walls: list[datetime] = []
    if times.cron:
        walls = cron.moved_to(times.cron, times.timezone, time)
    elif times.interval_days and times.anchor_at:
        place = zone_named(times.timezone)
        gap = gap_before(time, place)
        if gap is not None:
            meant = datetime.combine(gap[0].date(), wall_of(times.anchor_at, place).time())
            walls = [meant] if gap[0] <= meant < gap[1] else []
    return f"moved: {', '.join(map(_clock, walls))} did not exist" if walls else ""


def describe(times: Times) -> str:
    """The times in plain English; empty when there are none. Raises InvalidCron."""
    if times.cron:
        return cron.describe(times.cron)
    if times.interval_seconds:
        return f"Every {_span(times.interval_seconds)} of elapsed time"
    if times.interval_days and times.anchor_at:
        wall = wall_of(times.anchor_at, zone_named(times.timezone))
        days = "day" if times.interval_days == 1 else f"{times.interval_days} days"
        return f"Every {days} at {_clock(wall)}, whatever the clock does"
    if times.run_at:
        wall = wall_of(times.run_at, zone_named(times.timezone))
        return f"Once, on {wall:%Y-%m-%d} at {_clock(wall)}"
    return ""


def _unbounded(times: Times, after: datetime) -> Iterator[datetime]:
    if times.cron:
        return cron.fires(times.cron, times.timezone, after)
    if times.interval_seconds and times.anchor_at:
        return _elapsed(times.anchor_at, timedelta(seconds=times.interval_seconds), after)
    if times.interval_days and times.anchor_at:
        return _by_wall(times.anchor_at, times.interval_days, times.timezone, after)
    if times.run_at and times.run_at > after:
        return iter((times.run_at.astimezone(UTC),))
    return iter(())


def _elapsed(anchor: datetime, interval: timedelta, after: datetime) -> Iterator[datetime]:
    begin = anchor.astimezone(UTC)
    first = max(0, (after - begin) // interval + 1)
    left = (_END - begin) // interval
    return (begin + number * interval for number in range(first, left + 1))


def _by_wall(anchor: datetime, days: int, zone: str, after: datetime) -> Iterator[datetime]:
    place = zone_named(zone)
    wall = wall_of(anchor, place)
    passed = (wall_of(after, place).date() - wall.date()).days
    last = date(LAST_YEAR, 12, 31)
    # One back: a time of the day before may fall late, at the end of a gap.
    for number in count(max(0, passed // days - 1)):
        if (last - wall.date()).days < number * days:
            return
        instant = first_instant(wall + timedelta(days=number * days), place)
        if instant > after:
            yield instant


def _span(seconds: int) -> str:
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds % size == 0:
            number = seconds // size
            return f"{number} {unit}s" if number > 1 else unit
    return f"{seconds} seconds" if seconds > 1 else "second"


def _clock(wall: datetime) -> str:
    return f"{wall:%H:%M:%S}" if wall.second else f"{wall:%H:%M}"
