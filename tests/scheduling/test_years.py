"""Ten simulated years: as many times as the watched clock shows, with no drift."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from scheduling.due_times import MissedRule, due_times
from scheduling.times import Times, next_fire
from tests.scheduling import oracle

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
DAYS = 3652
ZONES = (
    "America/New_York",
    "Europe/Paris",
    "Australia/Lord_Howe",
    "Pacific/Chatham",
    "Africa/Cairo",
    "Asia/Kolkata",
    "UTC",
    "America/Nuuk",
)
EXPRESSIONS = (
    "30 2 * * *",
    "0 0 L * *",
    "0 0 29 2 *",
    "15 1 1,15 * *",
    "0 9 * * 1-5",
    "45 23 * * 5L",
    "0 */6 * * *",
    "30 1 15W * *",
)


def live(times: Times, until: datetime) -> list[datetime]:
    """What a scheduler does that always looks in time: each time leads to the next."""
    found = []
    following = next_fire(times, BEGIN)
    while following is not None and following < until:
        due = due_times(times, following, following, MissedRule())
        found += [slot.nominal_time for slot in due.slots]
        following = due.following
    return found


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_ten_years_of_a_schedule_are_as_the_clock_shows(expression: str) -> None:
    zone = ZONES[EXPRESSIONS.index(expression)]
    times = Times(cron=expression, timezone=zone)
    expected = oracle.long_fires(expression, zone, BEGIN, DAYS, 100_000)
    assert live(times, BEGIN + timedelta(days=DAYS)) == expected


@pytest.mark.soak
def test_ten_years_of_two_hundred_schedules_are_as_the_clock_shows() -> None:
    for number in range(200):
        expression = " ".join([str(number % 60), *EXPRESSIONS[number % 8].split()[1:]])
        zone = ZONES[number // 8 % 8]
        times = Times(cron=expression, timezone=zone)
        expected = oracle.long_fires(expression, zone, BEGIN, DAYS, 100_000)
        assert live(times, BEGIN + timedelta(days=DAYS)) == expected, (expression, zone)


def test_ten_years_of_an_interval_neither_drift_nor_miss() -> None:
    anchor = datetime(2026, 1, 1, 8, tzinfo=UTC)
    weekly = Times(interval_days=7, anchor_at=anchor, timezone="America/New_York")
    found = live(weekly, BEGIN + timedelta(days=DAYS))
    walls = {fire.astimezone(ZoneInfo("America/New_York")).time() for fire in found}
    assert len(found) == DAYS // 7 + 1
    assert len(walls) == 1
    elapsed = Times(interval_seconds=7 * 86_400, anchor_at=anchor)
    found = live(elapsed, BEGIN + timedelta(days=DAYS))
    assert found == [anchor + number * timedelta(days=7) for number in range(len(found))]
