"""When cron must fire, found by watching a wall clock minute by minute. No cron library, no search.

It shares nothing with the code under test but the rule: a fixed schedule fires when the furthest
wall time yet shown reaches or passes a named one; an elapsed one whenever a named minute is shown.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)
BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))


def changes(zone: str, years: range) -> list[datetime]:
    """The first minute of each new offset of the zone in these years."""
    place = ZoneInfo(zone)
    found = []
    moment = datetime(years.start, 1, 1, tzinfo=UTC)
    while moment.year < years.stop:
        later = moment + timedelta(hours=6)
        if moment.astimezone(place).utcoffset() != later.astimezone(place).utcoffset():
            minute = moment
            while minute.astimezone(place).utcoffset() == moment.astimezone(place).utcoffset():
                minute += MINUTE
            found.append(minute)
        moment = later
    return found


def watch(zone: str, start: datetime, minutes: int) -> list[tuple[datetime, datetime]]:
    """(instant, naive wall time) for each minute from `start`."""
    place = ZoneInfo(zone)
    instants = (start + MINUTE * i for i in range(minutes))
    return [(i, i.astimezone(place).replace(tzinfo=None, fold=0)) for i in instants]


def fires(expression: str, watched: list[tuple[datetime, datetime]]) -> list[datetime]:
    """The instants at which a five-field expression fires while the clock is watched."""
    fields = expression.split()
    if any(c in word for word in fields[:2] for c in "*-/"):
        return [instant for instant, wall in watched if matches(expression, wall)]
    found = []
    furthest = watched[0][1] - MINUTE
    for instant, wall in watched:
        passed = False
        while furthest < wall:
            furthest += MINUTE
            passed = passed or matches(expression, furthest)
        if passed:
            found.append(instant)
    return found


def matches(expression: str, wall: datetime) -> bool:
    """Whether the expression names this minute."""
    minute, hour, day, month, weekday = numbers(expression)
    if wall.minute not in minute or wall.hour not in hour or wall.month not in month:
        return False
    by_day, by_weekday = wall.day in day, wall.isoweekday() % 7 in weekday
    fields = expression.split()
    either = not fields[2].startswith("*") and not fields[4].startswith("*")
    return by_day or by_weekday if either else by_day and by_weekday


@lru_cache
def numbers(expression: str) -> tuple[frozenset[int], ...]:
    """The values of each field; numbers, `*`, ranges, steps and lists only."""
    return tuple(
        frozenset(n for item in word.split(",") for n in _item(item, *bounds))
        for word, bounds in zip(expression.split(), BOUNDS, strict=True)
    )


def _item(item: str, low: int, high: int) -> range:
    span, _, step = item.partition("/")
    if span != "*":
        first, _, last = span.partition("-")
        low, high = int(first), int(last or (high if step else first))
    return range(low, high + 1, int(step or 1))
