"""The cron engine: what is refused, when it fires, and what clock changes do to it."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from scheduling import cron
from tests.scheduling import oracle

EVERY_KIND_OF_CHANGE = (
    "America/New_York",
    "Europe/Berlin",
    "Australia/Lord_Howe",  # half an hour
    "Pacific/Chatham",  # offset of 45 minutes
    "Africa/Cairo",  # at midnight
    "America/Nuuk",  # the evening before
    "Africa/Casablanca",  # Ramadan
    "America/Santiago",
    "Asia/Beirut",
    "Atlantic/Azores",
    "Europe/Dublin",  # negative winter time
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def fires(expression: str, zone: str, after: str, count: int = 3) -> list[str]:
    found = cron.next_fires(expression, zone, at(after), count)
    return [f"{fire:%Y-%m-%d %H:%M:%S}".removesuffix(":00") for fire in found]


@pytest.mark.parametrize("zone", EVERY_KIND_OF_CHANGE)
def test_the_next_fire_is_the_same_from_any_moment_before_it(zone: str) -> None:
    change = oracle.changes(zone, range(2026, 2028))[-1]
    for expression in ("30 1 * * *", "0,30 1,2,3 * * *", "*/15 0-3 * * *"):
        all_fires = cron.next_fires(expression, zone, change - timedelta(hours=30), 60)
        for earlier, later in pairwise(all_fires):
            assert later > earlier
            for after in (
                earlier,
                earlier + (later - earlier) / 2,
                later - timedelta(microseconds=1),
            ):
                assert cron.next_fire(expression, zone, after) == later


@pytest.mark.parametrize(
    ("expression", "zone", "after", "expected"),
    [
        ("4 16 * * *", "America/New_York", "2026-03-07", ["2026-03-07 21:04", "2026-03-08 20:04"]),
        ("4 16 * * *", "America/New_York", "2026-10-31", ["2026-10-31 20:04", "2026-11-01 21:04"]),
        ("30 2 * * *", "America/New_York", "2026-03-08", ["2026-03-08 07:00", "2026-03-09 06:30"]),
        (
            "0,30 2,3 * * *",
            "America/New_York",
            "2026-03-08 06:00",
            ["2026-03-08 07:00", "2026-03-08 07:30"],
        ),
        ("30 1 * * *", "America/New_York", "2026-11-01", ["2026-11-01 05:30", "2026-11-02 06:30"]),
        ("30 1 * * *", "America/New_York", "2026-11-01 06:15", ["2026-11-02 06:30"]),
        (
            "45 1 * * *",
            "Australia/Lord_Howe",
            "2026-04-04",
            ["2026-04-04 14:45", "2026-04-05 15:15"],
        ),
        ("30 0 12 * * *", "UTC", "2026-01-01", ["2026-01-01 12:00:30"]),
        ("0 15 10 ? * MON#2", "UTC", "2026-01-01", ["2026-01-12 10:15"]),
        (
            "0 0 31,L * *",
            "UTC",
            "2026-08-01",
            ["2026-08-31 00:00", "2026-09-30 00:00", "2026-10-31 00:00"],
        ),
        ("0 0 31 * *", "UTC", "2026-08-01", ["2026-08-31 00:00", "2026-10-31 00:00"]),
        ("0 0 29 2 *", "UTC", "2028-02-29", ["2032-02-29 00:00"]),
        ("0 0 29 2 *", "UTC", "2096-03-01", ["2104-02-29 00:00"]),
        (
            "0 0 13 * 5",
            "UTC",
            "2026-02-01",
            ["2026-02-06 00:00", "2026-02-13 00:00", "2026-02-20 00:00"],
        ),
        ("0 0 0 13 * 5", "UTC", "2026-01-01", ["2026-02-13 00:00", "2026-03-13 00:00"]),
        ("0 0 * * 5L", "UTC", "2026-01-01", ["2026-01-30 00:00", "2026-02-27 00:00"]),
        ("0 0 1W * *", "UTC", "2026-01-31", ["2026-02-02 00:00", "2026-03-02 00:00"]),
        ("0 22-2/3 * * *", "UTC", "2026-01-01", ["2026-01-01 01:00", "2026-01-01 22:00"]),
        ("5-5 0 * * *", "UTC", "2026-01-01", ["2026-01-01 00:05", "2026-01-02 00:05"]),
        ("0 0 * * FRI-MON", "UTC", "2026-01-06", ["2026-01-09 00:00", "2026-01-10 00:00"]),
        ("@weekly", "UTC", "2026-01-01", ["2026-01-04 00:00", "2026-01-11 00:00"]),
    ],
)
def test_known_cases_fire_as_written(
    expression: str, zone: str, after: str, expected: list[str]
) -> None:
    assert fires(expression, zone, after, len(expected)) == expected


def test_the_calendar_ends_quietly() -> None:
    assert fires("* * * * *", "Europe/Berlin", "9998-12-31 22:57", 5) == [
        "9998-12-31 22:58",
        "9998-12-31 22:59",
    ]
    assert cron.next_fire("0 0 29 2 *", "UTC", at("9998-01-01")) is None


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("*/5 * * * *", "Every 5 minutes"),
        ("0 9 * * 1-5", "At 09:00, Monday through Friday"),
        ("@daily", "At 00:00"),
        ("0 0 1 * MON", "At 00:00, on day 1 of the month, or on Monday"),
        ("0 0 1 * 5#2", "At 00:00, on day 1 of the month, or on the second Friday of the month"),
        ("0 0 0 1 * MON", "At 00:00, on day 1 of the month, and only on Monday"),
        ("30 0 12 * * *", "At 12:00:30"),
    ],
)
def test_the_words_say_what_the_dialect_means(expression: str, words: str) -> None:
    assert cron.describe(expression) == words
