"""Zones: their names, the changes of their clocks, and wall times that come twice or never."""

from datetime import UTC, datetime, timedelta

import pytest

from scheduling import cron
from scheduling.cron_zones import (
    first_instant,
    gap_before,
    next_change,
    offset_at,
    wall_of,
    zone_named,
    zone_names,
)
from scheduling.errors import InvalidZone
from tests.scheduling import oracle


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "zone", ["", "Etc/Unknown", "US/Pacific-New", "../UTC", "localtime", "+01:00", "\x00"]
)
def test_a_zone_is_a_name_of_the_iana_data_base(zone: str) -> None:
    with pytest.raises(InvalidZone, match="unknown"):
        cron.next_fire("* * * * *", zone, at("2026-01-01"))


def test_a_wall_time_that_comes_twice_is_its_first_pass() -> None:
    zone = zone_named("America/New_York")
    assert first_instant(datetime(2026, 11, 1, 1, 30), zone) == at("2026-11-01 05:30")


@pytest.mark.parametrize(
    ("zone", "wall", "instant"),
    [
        ("America/New_York", "2026-03-08 02:30", "2026-03-08 07:00"),
        ("Australia/Lord_Howe", "2026-10-04 02:01", "2026-10-03 15:30"),
        ("Pacific/Apia", "2011-12-30 12:00", "2011-12-30 10:00"),  # a day that never was
    ],
)
def test_a_wall_time_that_never_comes_is_the_end_of_the_gap(
    zone: str, wall: str, instant: str
) -> None:
    assert first_instant(datetime.fromisoformat(wall), zone_named(zone)) == at(instant)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Africa/Casablanca", "America/Nuuk", "UTC"])
def test_every_change_is_found_in_order(zone: str) -> None:
    expected = oracle.changes(zone, range(2026, 2028))
    found = []
    after, until = at("2026-01-01"), at("2028-01-01")
    while (change := next_change(after, until, zone_named(zone))) is not None:
        found.append(change)
        after = change
    assert tuple(found) == expected


def test_offset_and_wall_agree() -> None:
    zone = zone_named("Pacific/Chatham")
    moment = at("2026-07-01 00:00")
    assert offset_at(moment, zone) == timedelta(hours=12, minutes=45)
    assert wall_of(moment, zone) == datetime(2026, 7, 1, 12, 45)


def test_the_names_are_places_and_nothing_else() -> None:
    assert {"UTC", "Europe/Berlin", "Asia/Kolkata"} <= zone_names()
    assert not {"localtime", "Factory", "posixrules"} & zone_names()


def test_a_gap_is_known_by_the_moment_at_its_end() -> None:
    zone = zone_named("America/New_York")
    gap = gap_before(at("2026-03-08 07:00"), zone)
    assert gap == (datetime(2026, 3, 8, 2), datetime(2026, 3, 8, 3))
    assert gap_before(at("2026-03-08 07:01"), zone) is None
    assert gap_before(at("2026-11-01 06:00"), zone) is None
