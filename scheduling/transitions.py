"""What coming changes of the clock do to times of any kind, and what is special about one time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from scheduling.cron import explain_transitions, moved_to
from scheduling.cron_calendar import next_wall, parse
from scheduling.cron_zones import next_change, offset_at, wall_of, zone_named
from scheduling.times import Times

_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a zone's offset that touches the times; `effect` is a sentence."""

    instant: datetime
    #: What the wall clock shows just before and just after.
    before: datetime
    after: datetime
    effect: str


def changes_between(times: Times, after: datetime, until: datetime) -> list[Change]:
    """The changes in (after, until] that touch these times. Raises InvalidCron and InvalidZone."""
    if times.cron:
        return _changes_for_cron(times, after, until)
    zone = zone_named(times.timezone)
    found = []
    for instant in _changes(zone, after, until):
        before = wall_of(instant - _SECOND, zone) + _SECOND
        now = wall_of(instant, zone)
        effect = _effect(times, before, now, instant, zone)
        if effect:
            found.append(Change(instant, before, now, effect))
    return found


def note_of(times: Times, instant: datetime) -> str:
    """What a reader should know of one time: that it was moved, or that its wall time comes twice;
    empty for nearly all.
    """
    zone = zone_named(times.timezone)
    wall = wall_of(instant, zone)
    if times.cron and (lost := moved_to(times.cron, times.timezone, instant)):
        names = ", ".join(map(_clock, lost))
        also = "also " if next_wall(parse(times.cron), wall - _SECOND) == wall else ""
        return f"{also}stands for {names}, which {_does(lost)} not exist on this day"
    first = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    second = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    if first < second:
        which = "first" if instant == first else "second"
        return f"this wall time comes twice; {which} pass"
    return ""


def _changes_for_cron(times: Times, after: datetime, until: datetime) -> list[Change]:
    found = []
    for year in range(after.year, until.year + 1):
        for change in explain_transitions(times.cron, times.timezone, year):
            if after < change.instant <= until:
                walls = (change.wall_from, change.wall_to)
                before, now = walls if change.is_gap else reversed(walls)
                found.append(Change(change.instant, before, now, change.effect))
    return found


def _changes(zone: ZoneInfo, after: datetime, until: datetime) -> Iterator[datetime]:
    change = next_change(after, until, zone)
    while change is not None:
        yield change
        change = next_change(change, until, zone)


def _effect(
    times: Times, before: datetime, after: datetime, instant: datetime, zone: ZoneInfo
) -> str:
    if times.interval_seconds:
        shift = offset_at(instant, zone) - offset_at(instant - _SECOND, zone)
        direction = "later" if shift > timedelta(0) else "earlier"
        return f"It goes on in equal steps: {_span(abs(shift))} {direction} by the wall clock."
    if times.interval_days and times.anchor_at:
        return _effect_on_days(times, wall_of(times.anchor_at, zone), before, after)
    return ""


def _effect_on_days(times: Times, anchor: datetime, before: datetime, after: datetime) -> str:
    wall = datetime.combine(min(before, after).date(), anchor.time())
    if (wall.date() - anchor.date()).days % (times.interval_days or 1):
        return ""
    day = f"on {wall:%Y-%m-%d}"
    if before <= wall < after:
        moment = f"at {_clock(after)}, the first moment after the gap"
        return f"{_clock(wall)} does not exist {day}: it fires {moment}."
    if after <= wall < before:
        return f"{_clock(wall)} comes twice {day}: it fires on the first pass only."
    return ""


def _does(walls: list[datetime]) -> str:
    return "does" if len(walls) == 1 else "do"


def _clock(wall: datetime) -> str:
    return f"{wall:%H:%M:%S}" if wall.second else f"{wall:%H:%M}"


def _span(shift: timedelta) -> str:
    hours, minutes = divmod(int(shift.total_seconds()) // 60, 60)
    parts = [f"{hours} h"] * bool(hours) + [f"{minutes} min"] * bool(minutes)
    return " ".join(parts) or f"{int(shift.total_seconds())} s"
