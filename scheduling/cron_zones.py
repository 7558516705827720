"""Time zones as cron needs them: names, changes of the offset, and wall times as instants."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from scheduling.errors import InvalidZone

_SECOND = timedelta(seconds=1)
#: No zone has ever changed twice within this time; changes are searched for in steps of it.
_STEP = timedelta(hours=12)


@lru_cache(maxsize=1)
def zone_names() -> frozenset[str]:
    """Every zone name that may be chosen. `Factory` and `localtime` name no place."""
    return frozenset(available_timezones()) - {"Factory", "localtime"}


@lru_cache(maxsize=1000)
def zone_named(name: str) -> ZoneInfo:
    """Raises InvalidZone for anything but a name of the IANA data base."""
    if name not in zone_names():
        shown = ascii(name[:64])
        raise InvalidZone(f"The time zone {shown} is unknown; name one like Europe/Berlin or UTC.")
    return ZoneInfo(name)


def wall_of(instant: datetime, zone: ZoneInfo) -> datetime:
    """The naive wall time of an instant."""
    return instant.astimezone(zone).replace(tzinfo=None, fold=0)


def first_instant(wall: datetime, zone: ZoneInfo) -> datetime:
    """When the wall clock first shows `wall`; in a gap: the first instant after the gap."""
    instant = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if wall_of(instant, zone) == wall:
        return instant
    # In a gap fold=1 counts with the offset after it, which leads to before the change.
    before = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    return _change_between(before, instant, zone)


def next_change(after: datetime, until: datetime, zone: ZoneInfo) -> datetime | None:
    """The first instant of a new offset in (after, until], if there is one."""
    for year in range(after.year, until.year + 1):
        for change in changes_in(zone, year):
            if after < change <= until:
                return change
    return None


def gap_before(instant: datetime, zone: ZoneInfo) -> tuple[datetime, datetime] | None:
    """The wall times, from the first and before the second, that are left out at this instant."""
    if instant not in changes_in(zone, instant.year):
        return None
    low, high = wall_of(instant - _SECOND, zone) + _SECOND, wall_of(instant, zone)
    return (low, high) if low < high else None


@lru_cache(maxsize=4096)
def changes_in(zone: ZoneInfo, year: int) -> tuple[datetime, ...]:
    """The instants of one UTC year at which the zone's offset becomes another."""
    found = []
    low = datetime(year, 1, 1, tzinfo=UTC) - _SECOND
    end = datetime(year + 1, 1, 1, tzinfo=UTC) - _SECOND
    while low < end:
        high = min(low + _STEP, end)
        if offset_at(low, zone) != offset_at(high, zone):
            found.append(_change_between(low, high, zone))
        low = high
    return tuple(found)


def offset_at(instant: datetime, zone: ZoneInfo) -> timedelta:
    """How far the zone's wall clock is ahead of UTC at an instant."""
    offset = instant.astimezone(zone).utcoffset()
    return timedelta(0) if offset is None else offset


def _change_between(low: datetime, high: datetime, zone: ZoneInfo) -> datetime:
    """The first whole second of the offset that holds at `high` and not yet at `low`."""
    old = offset_at(low, zone)
    while high - low > _SECOND:
        middle = low + (high - low) // (2 * _SECOND) * _SECOND
        if offset_at(middle, zone) == old:
            low = middle
        else:
            high = middle
    return high
