"""Times between a form and a schedule: wall times of its zone, and the kinds of times."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from scheduling.cron_zones import first_instant, wall_of, zone_named
from scheduling.errors import InvalidSchedule, InvalidZone
from scheduling.lifecycle import NO_TIMES
from scheduling.models import JobSchedule
from scheduling.times import Times

CRON, EVERY, DAYS, ONCE, NONE = "cron", "every", "days", "once", "none"
KINDS = (
    (CRON, "Cron expression"),
    (EVERY, "Interval of elapsed time"),
    (DAYS, "Every few days at the same wall time"),
    (ONCE, "Once"),
    (NONE, "By hand only"),
)
#: Units of an interval, longest first: seconds and word.
UNITS = ((86_400, "days of 24 h"), (3600, "hours"), (60, "minutes"), (1, "seconds"))
#: Fields of the form that hold a wall time of the schedule's zone.
WALL_FIELDS = ("anchor_at", "run_at", "starts_at", "ends_at")


def kind_of(schedule: JobSchedule) -> str:
    """Which kind of times it has."""
    if schedule.cron:
        return CRON
    if schedule.interval_seconds:
        return EVERY
    if schedule.interval_days:
        return DAYS
    return ONCE if schedule.run_at else NONE


def wall_text(instant: datetime | None, zone: str) -> str:
    """An instant as a `datetime-local` field takes it; empty for none, and in an unknown zone."""
    if instant is None:
        return ""
    try:
        return wall_of(instant, zone_named(zone)).isoformat(timespec="seconds")
    except InvalidZone:
        return ""


def instant_of(text: str, zone: str, *, field: str) -> datetime:
    """The instant at which the zone's clock shows this; the first one of two.

    Raises InvalidSchedule for what is no time, and for a wall time that does not exist.
    """
    try:
        wall = datetime.fromisoformat(text)
    except ValueError:
        wall = None
    if wall is None or wall.tzinfo is not None or not 1970 <= wall.year <= 2200:
        raise InvalidSchedule(
            f"{field} must be a time from 1970 to 2200 such as 2026-11-30T08:00, by the clock of "
            f"{zone}.",
            field=field,
        )
    place = zone_named(zone)
    instant = first_instant(wall, place)
    shown = wall_of(instant, place)
    if shown != wall:
        raise InvalidSchedule(
            f"{wall:%Y-%m-%d %H:%M} does not exist in {zone}: the clock goes forward to "
            f"{shown:%H:%M} then.",
            field=field,
        )
    return instant


def times_values(data: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that name times, from the form's cleaned fields; of other kinds none."""
    values: dict[str, Any] = dict(NO_TIMES)
    kind = data.get("kind") or NONE
    if kind == CRON:
        values["cron"] = data.get("cron", "")
    elif kind == EVERY:
        values["interval_seconds"] = _seconds(data)
        values["anchor_at"] = data.get("anchor_at")
    elif kind == DAYS:
        values["interval_days"] = data.get("interval_days")
        values["anchor_at"] = data.get("anchor_at")
    elif kind == ONCE:
        values["run_at"] = data.get("run_at")
    return values


def times_of(values: Mapping[str, Any], now: datetime) -> Times:
    """The same as times; an interval counts from where the action would let it count."""
    names = (*NO_TIMES, "timezone", "starts_at", "ends_at")
    found = {name: values[name] for name in names if name in values}
    if found.get("interval_seconds") or found.get("interval_days"):
        now = now.replace(microsecond=0)
        found["anchor_at"] = found.get("anchor_at") or found.get("starts_at") or now
    return Times(**found)


def interval_parts(seconds: int) -> tuple[int, int]:
    """A number and its unit, as long as it comes out whole."""
    unit = next(size for size, _ in UNITS if seconds % size == 0)
    return seconds // unit, unit


def _seconds(data: Mapping[str, Any]) -> int | None:
    number = data.get("every")
    if number is None:
        return None
    return int(number) * int(data.get("every_unit") or 60)
