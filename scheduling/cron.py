"""When a schedule fires: validation, next times in a zone, meaning in words. No ORM, no clock.

The rule for changes of the clock. An expression is *fixed* when its second, minute and hour fields
hold only numbers and lists: each wall time it names fires once, in a gap at the first instant after
it (several in one gap fire together, once), in a fold on the first pass. Otherwise it is *elapsed*:
it fires whenever the wall clock matches, on both passes of a fold and not in a gap.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from cron_descriptor import DescriptionTypeEnum, ExpressionDescriptor, Options

from scheduling import cron_dialect
from scheduling.cron_calendar import Expression, next_wall, parse
from scheduling.cron_zones import first_instant, next_change, offset_at, wall_of, zone_named

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
