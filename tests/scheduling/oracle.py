"""When cron must fire, found by watching a wall clock minute by minute. No cron library, no search.

It shares nothing with the code under test but the rule: a fixed schedule fires when the furthest
wall time yet shown reaches or passes a named one; an elapsed one whenever a named minute is shown.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from itertools import islice
from zoneinfo import ZoneInfo, available_timezones

from tests.scheduling.oracle_dates import names_date, numbers

MINUTE = timedelta(minutes=1)
#: Around a change of the clock everything is watched; between two of them an offset holds.
AROUND = timedelta(hours=30)

type Watched = tuple[tuple[datetime, datetime], ...]


@lru_cache(maxsize=2000)
def changes(zone: str, years: range) -> tuple[datetime, ...]:
    """The first minute of each new offset of the zone in these years."""
    place = ZoneInfo(zone)
    found = []
    moment = datetime(years.start, 1, 1, tzinfo=UTC)
    while moment.year < years.stop:
        later = moment + timedelta(hours=6)
        if _offset(moment, place) != _offset(later, place):
            minute = moment
            while _offset(minute, place) == _offset(moment, place):
                minute += MINUTE
            found.append(minute)
        moment = later
    return tuple(found)


def patterns(years: range) -> dict[tuple[tuple[datetime, timedelta], ...], list[str]]:
    """Zones that change their offset in these years, by when they do and to which offset."""
    found: dict[tuple[tuple[datetime, timedelta], ...], list[str]] = {}
    for zone in sorted(available_timezones() - {"Factory", "localtime"}):
        place = ZoneInfo(zone)
        pattern = tuple((change, _offset(change, place)) for change in changes(zone, years))
        if pattern:
            found.setdefault(pattern, []).append(zone)
    return found


def watch(zone: str, start: datetime, minutes: int) -> Watched:
    """(instant, naive wall time) for each minute from `start`."""
    place = ZoneInfo(zone)
    instants = (start + MINUTE * i for i in range(minutes))
    return tuple((i, i.astimezone(place).replace(tzinfo=None, fold=0)) for i in instants)


def around(zone: str, change: datetime) -> Watched:
    """The minutes from 30 hours before a change to 30 hours after it."""
    return watch(zone, change - AROUND, 2 * AROUND // MINUTE)


def fires(expression: str, watched: Watched) -> Iterator[datetime]:
    """The instants at which an expression fires while the clock is watched."""
    seconds, minutes, hours = numbers(expression)[:3]
    dates: dict[date, bool] = {}

    def named(wall: datetime) -> bool:
        if wall.minute not in minutes or wall.hour not in hours:
            return False
        day = wall.date()
        if day not in dates:
            dates[day] = names_date(expression, day)
        return dates[day]

    if not _is_fixed(expression):
        yield from (i + s for i, wall in watched if named(wall) for s in _spans(seconds))
        return
    furthest = watched[0][1] - MINUTE
    for instant, wall in watched:
        furthest += MINUTE
        if furthest > wall:  # shown before: the second pass of a fold
            furthest -= MINUTE
        elif furthest == wall:
            if named(wall):
                yield from (instant + s for s in _spans(seconds))
        else:
            yield from _end_of_gap(expression, furthest, wall, instant)
            furthest = wall


def _end_of_gap(
    expression: str, first: datetime, wall: datetime, instant: datetime
) -> Iterator[datetime]:
    """Everything named in the gap at once, with what is named for the moment itself."""
    seconds, minutes, hours = numbers(expression)[:3]
    left_out = (first + MINUTE * i for i in range((wall - first) // MINUTE))
    passed = any(
        w.minute in minutes and w.hour in hours and names_date(expression, w.date())
        for w in left_out
    )
    named = wall.minute in minutes and wall.hour in hours and names_date(expression, wall.date())
    spans = set(_spans(seconds)) if named else set()
    yield from (instant + s for s in sorted(spans | ({timedelta(0)} if passed else set())))


def long_fires(expression: str, zone: str, after: datetime, days: int, most: int) -> list[datetime]:
    """The first fires after a moment: at most so many, and none later than so many days."""
    until = after + timedelta(days=days)
    return list(islice((f for f in _long(expression, zone, after, until) if f > after), most))


def _long(expression: str, zone: str, after: datetime, until: datetime) -> Iterator[datetime]:
    years = range(after.year - 1, until.year + 2)
    windows = [(c - AROUND, c + AROUND, c) for c in changes(zone, years)]
    moment = after.replace(second=0, microsecond=0)
    for begin, end, change in windows:
        if end <= moment or begin > until:
            continue
        yield from _steady(expression, zone, moment, min(begin, until))
        yield from (f for f in fires(expression, around(zone, change)) if f <= until)
        moment = end
    yield from _steady(expression, zone, moment, until)


def _steady(expression: str, zone: str, begin: datetime, end: datetime) -> Iterator[datetime]:
    """Fires from `begin`, before `end`, between which the offset stays what it is."""
    if begin >= end:
        return
    seconds, minutes, hours = (sorted(n) for n in numbers(expression)[:3])
    offset = _offset(begin, ZoneInfo(zone))
    day = (begin + offset).date()
    last = (end + offset).date()
    while day <= last:
        if names_date(expression, day):
            for hour in hours:
                for minute in minutes:
                    wall = datetime.combine(day, time(hour, minute), UTC)
                    for second in seconds:
                        instant = wall - offset + timedelta(seconds=second)
                        if begin <= instant < end:
                            yield instant
        day += timedelta(days=1)


def _spans(seconds: frozenset[int]) -> list[timedelta]:
    return [timedelta(seconds=second) for second in sorted(seconds)]


def _is_fixed(expression: str) -> bool:
    return not any(c in word for word in expression.split()[:-3] for c in "*-/")


def _offset(moment: datetime, place: ZoneInfo) -> timedelta:
    return moment.astimezone(place).utcoffset() or timedelta(0)
