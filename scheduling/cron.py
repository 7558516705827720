"""When a schedule fires: validation, next times in a zone, meaning in words. No ORM, no clock.

The rule for changes of the clock. An expression is *fixed* when its second, minute and hour fields
hold only numbers and lists: each wall time it names fires once, in a gap at the first instant after
it (several in one gap fire together, once), in a fold on the first pass. Otherwise it is *elapsed*:
it fires whenever the wall clock matches, on both passes of a fold and not in a gap.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

from cron_descriptor import DescriptionTypeEnum, ExpressionDescriptor, Options

from scheduling import cron_dialect
from scheduling.cron_calendar import Expression, next_wall, parse
from scheduling.cron_zones import (
    changes_in,
    first_instant,
    gap_before,
    next_change,
    offset_at,
    wall_of,
    zone_named,
)

#: Wall times that an explanation names; the others are counted, up to a bound.
MAX_NAMED = 5
_COUNTED = 1000
_SECOND = timedelta(seconds=1)


def canonical(expression: str) -> str:
    """The stored form of an expression. Raises InvalidCron for what is malformed or never fires."""
    return parse(expression).text


def next_fires(expression: str, zone: str, after: datetime, count: int) -> list[datetime]:
    """The next `count` fires strictly after `after` (aware), in UTC and strictly increasing.

    Fewer when the calendar ends before. Raises InvalidCron and InvalidZone.
    """
    return list(islice(fires(expression, zone, after), count))


def next_fire(expression: str, zone: str, after: datetime) -> datetime | None:
    """The first fire strictly after `after`; None when the calendar ends before."""
    return next(fires(expression, zone, after), None)


def fires(expression: str, zone: str, after: datetime) -> Iterator[datetime]:
    """All fires strictly after `after`, in UTC, computed one at a time."""
    parsed, place = parse(expression), zone_named(zone)
    start = after.astimezone(UTC)
    return (
        _fixed_fires(parsed, place, start) if parsed.fixed else _elapsed_fires(parsed, place, start)
    )


def _fixed_fires(expression: Expression, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    wall = next_wall(expression, wall_of(after, zone))
    while wall is not None:
        instant = first_instant(wall, zone)
        # Not after: a first pass that is over, or another time of the same gap.
        if instant > after:
            yield instant
            after = instant
        wall = next_wall(expression, wall)


def _elapsed_fires(expression: Expression, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """Between two changes the wall clock runs evenly; each stretch is searched by itself."""
    offset = offset_at(after, zone)
    wall = next_wall(expression, wall_of(after, zone))
    while wall is not None:
        instant = (wall - offset).replace(tzinfo=UTC)
        change = next_change(after, instant, zone)
        if change is None:
            yield instant
            after = instant
            wall = next_wall(expression, wall)
        else:
            after, offset = change, offset_at(change, zone)
            wall = next_wall(expression, wall_of(change, zone) - _SECOND)


@dataclass(frozen=True, slots=True)
class ClockChange:
    """A change of the clock that leaves out, or repeats, wall times which an expression names."""

    #: When the new offset begins, in UTC.
    instant: datetime
    #: The wall times from `wall_from`, before `wall_to`, do not exist; otherwise they come twice.
    is_gap: bool
    wall_from: datetime
    wall_to: datetime
    #: The first of those that are named, at most MAX_NAMED, and how many there are in all.
    named: tuple[datetime, ...]
    count: int
    #: What happens, in one sentence.
    effect: str


def explain_transitions(expression: str, zone: str, year: int) -> list[ClockChange]:
    """What the clock's changes of a UTC year do to an expression; those that do not touch it are
    left out. Raises InvalidCron and InvalidZone.
    """
    parsed, place = parse(expression), zone_named(zone)
    changes = (_clock_change(parsed, place, instant) for instant in changes_in(place, year))
    return [change for change in changes if change is not None]


def moved_to(expression: str, zone: str, instant: datetime) -> list[datetime]:
    """The wall times in a gap for which the expression fires at this instant, the gap's end."""
    parsed, place = parse(expression), zone_named(zone)
    if not parsed.fixed or (gap := gap_before(instant, place)) is None:
        return []
    low, high = gap
    walls = takewhile(lambda wall: wall < high, _walls(parsed, low - _SECOND))
    return list(islice(walls, MAX_NAMED))


def _clock_change(expression: Expression, zone: ZoneInfo, instant: datetime) -> ClockChange | None:
    after = wall_of(instant, zone)
    before = wall_of(instant - _SECOND, zone) + _SECOND
    low, high = min(before, after), max(before, after)
    walls = takewhile(lambda wall: wall < high, _walls(expression, low - _SECOND))
    found = list(islice(walls, _COUNTED + 1))
    if not found:
        return None
    effect = _effect(expression.fixed, found, before, after)
    named = tuple(found[:MAX_NAMED])
    return ClockChange(instant, after > before, low, high, named, len(found), effect)


def _walls(expression: Expression, after: datetime) -> Iterator[datetime]:
    wall = next_wall(expression, after)
    while wall is not None:
        yield wall
        wall = next_wall(expression, wall)


def _effect(fixed: bool, found: list[datetime], before: datetime, after: datetime) -> str:
    many = len(found) > 1
    shown = ", ".join(f"{wall:%H:%M:%S}".removesuffix(":00") for wall in found[:MAX_NAMED])
    if len(found) > MAX_NAMED:
        total = f"more than {_COUNTED}" if len(found) > _COUNTED else str(len(found))
        shown = f"{shown} and so on ({total} times)"
    day = f"{found[0]:%Y-%m-%d}"
    if after > before:
        lost = f"{shown} {'do' if many else 'does'} not exist on {day}"
        if not fixed:
            return f"{lost}: nothing fires for {'them' if many else 'it'}."
        together = "they fire once, together," if many else "it fires"
        end = f"{after:%H:%M}" if after.date() == found[0].date() else f"{after:%Y-%m-%d %H:%M}"
        return f"{lost}: {together} at {end}, the first moment after the gap."
    twice = f"{shown} {'come' if many else 'comes'} twice on {day}"
    if fixed:
        return f"{twice}: {'they fire' if many else 'it fires'} on the first pass only."
    return f"{twice}: {'they fire' if many else 'it fires'} on both passes."


def describe(expression: str) -> str:
    """The expression in plain English. Raises InvalidCron."""
    parsed = parse(expression)
    options = Options()
    options.use_24hour_time_format = True
    descriptor = ExpressionDescriptor(cron_dialect.NICKNAMES.get(parsed.text, parsed.text), options)
    full = str(descriptor.get_description(DescriptionTypeEnum.FULL))
    days = str(descriptor.get_description(DescriptionTypeEnum.DAYOFMONTH))
    weekdays = str(descriptor.get_description(DescriptionTypeEnum.DAYOFWEEK))
    if not (days and weekdays):
        return full
    # The library always joins both day fields in the same way; which it is depends on the dialect.
    bare = weekdays.removeprefix(", ").removeprefix("or ")
    link = ", or " if parsed.either_day else ", and only "
    return full.replace(days + weekdays, days + link + bare)
