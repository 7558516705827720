"""Times of every kind: intervals, one moment, windows, and the last ones of many."""

import time
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise

import pytest

from scheduling.times import Times, describe, fires, last_fire, last_fires, next_fire

BRUSSELS = "Europe/Brussels"
#: Tuesday 16:00 in Brussels, five days before the clock goes forward.
ANCHOR = datetime(2019, 3, 26, 15, 0, tzinfo=UTC)
WEEK = timedelta(days=7)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def first(times: Times, after: datetime, count: int = 3) -> list[datetime]:
    return list(islice(fires(times, after), count))


def test_an_interval_in_days_keeps_the_wall_time() -> None:
    weekly = Times(interval_days=7, anchor_at=ANCHOR, timezone=BRUSSELS)
    assert first(weekly, ANCHOR) == [
        at("2019-04-02 14:00"),
        at("2019-04-09 14:00"),
        at("2019-04-16 14:00"),
    ]


def test_an_interval_in_seconds_counts_elapsed_time() -> None:
    weekly = Times(interval_seconds=168 * 3600, anchor_at=ANCHOR, timezone=BRUSSELS)
    assert first(weekly, ANCHOR, 2) == [at("2019-04-02 15:00"), at("2019-04-09 15:00")]


@pytest.mark.parametrize("kind", ["interval_seconds", "interval_days"])
def test_the_anchor_is_the_first_time_of_an_interval(kind: str) -> None:
    times = Times(anchor_at=ANCHOR, **{kind: 1})  # type: ignore[arg-type]
    assert next_fire(times, ANCHOR - timedelta(days=100)) == ANCHOR
    assert next_fire(times, ANCHOR - timedelta(microseconds=1)) == ANCHOR
    after = next_fire(times, ANCHOR)
    assert after is not None and after > ANCHOR


def test_days_into_a_gap_fire_at_its_end_and_into_a_fold_on_the_first_pass() -> None:
    daily = Times(interval_days=1, anchor_at=at("2026-03-07 07:30"), timezone="America/New_York")
    assert first(daily, at("2026-03-07 12:00"), 2) == [
        at("2026-03-08 07:00"),
        at("2026-03-09 06:30"),
    ]
    daily = Times(interval_days=1, anchor_at=at("2026-10-31 05:30"), timezone="America/New_York")
    assert first(daily, at("2026-10-31 12:00"), 2) == [
        at("2026-11-01 05:30"),
        at("2026-11-02 06:30"),
    ]


@pytest.mark.parametrize("days", [1, 3, 7])
def test_the_next_of_an_interval_is_the_same_from_anywhere(days: int) -> None:
    times = Times(interval_days=days, anchor_at=at("2026-03-01 07:30"), timezone="America/New_York")
    found = first(times, at("2026-03-01"), 250)
    for earlier, later in pairwise(found):
        assert later > earlier
        for part in (timedelta(0), (later - earlier) / 2, later - earlier - timedelta(seconds=1)):
            assert next_fire(times, earlier + part) == later


def test_one_moment_comes_once() -> None:
    once = Times(run_at=ANCHOR)
    assert first(once, ANCHOR - WEEK) == [ANCHOR]
    assert first(once, ANCHOR) == []


@pytest.mark.parametrize(
    "times",
    [
        Times(cron="0 9 * * *"),
        Times(interval_seconds=86_400, anchor_at=at("2020-01-01 09:00")),
        Times(interval_days=1, anchor_at=at("2020-01-01 09:00")),
    ],
)
def test_a_window_bounds_the_times_both_ends_included(times: Times) -> None:
    bounded = Times(
        cron=times.cron,
        interval_seconds=times.interval_seconds,
        interval_days=times.interval_days,
        anchor_at=times.anchor_at,
        starts_at=at("2026-05-04 09:00"),
        ends_at=at("2026-05-06 09:00"),
    )
    assert first(bounded, at("2026-01-01"), 9) == [
        at("2026-05-04 09:00"),
        at("2026-05-05 09:00"),
        at("2026-05-06 09:00"),
    ]
    assert next_fire(bounded, at("2026-05-04 09:00")) == at("2026-05-05 09:00")
    assert next_fire(bounded, at("2026-05-06 09:00")) is None


def test_intervals_end_with_the_calendar() -> None:
    late = at("9998-12-31 12:00")
    for kind in ("interval_seconds", "interval_days"):
        times = Times(anchor_at=at("2026-01-01"), **{kind: 366})  # type: ignore[arg-type]
        found = next_fire(times, late)
        assert found is None or found.year == 9998


def test_without_times_there_are_none() -> None:
    assert not Times()
    assert Times(cron="@daily") and Times(run_at=ANCHOR)
    assert first(Times(), ANCHOR) == []
    assert describe(Times()) == ""


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (Times(cron="*/5 * * * *"), "Every 5 minutes"),
        (Times(interval_seconds=168 * 3600, anchor_at=ANCHOR), "Every 7 days of elapsed time"),
        (Times(interval_seconds=60, anchor_at=ANCHOR), "Every minute of elapsed time"),
        (Times(interval_seconds=90, anchor_at=ANCHOR), "Every 90 seconds of elapsed time"),
        (
            Times(interval_days=7, anchor_at=ANCHOR, timezone=BRUSSELS),
            "Every 7 days at 16:00, whatever the clock does",
        ),
        (
            Times(run_at=ANCHOR + timedelta(seconds=5), timezone=BRUSSELS),
            "Once, on 2019-03-26 at 16:00:05",
        ),
    ],
)
def test_the_words_say_which_kind_it_is(times: Times, words: str) -> None:
    assert describe(times) == words


@pytest.mark.parametrize(
    "expression", ["* * * * * *", "0 9 * * *", "* * 9 * * *", "*/7 * * * *", "0 0 29 2 *"]
)
def test_the_last_ones_are_the_last_of_all_between(expression: str) -> None:
    times = Times(cron=expression)
    since, until = at("2026-03-01 08:59"), at("2026-03-02 09:00:30")
    between = [f for f in first(times, since, 100_000) if f <= until]
    assert last_fire(times, since, until) == (between[-1] if between else None)
    assert last_fires(times, since, until, 100) == between[-100:]


def test_the_last_ones_are_found_quickly_over_years_of_seconds() -> None:
    times = Times(cron="* * * * * *", timezone="Europe/Berlin")
    since, until = at("2020-01-01"), at("2026-01-01")
    started = time.perf_counter()
    assert last_fire(times, since, until) == until
    assert last_fires(times, since, until, 1000)[0] == until - timedelta(seconds=999)
    assert time.perf_counter() - started < 0.5
