"""What coming changes of the clock do to times of any kind, and what is special about one time."""

from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest

from scheduling.times import Times, fires
from scheduling.transitions import changes_between, note_of

NEW_YORK = "America/New_York"
YEAR = (datetime(2027, 1, 1, tzinfo=UTC), datetime(2028, 1, 1, tzinfo=UTC))
GAP = datetime(2027, 3, 14, 7, tzinfo=UTC)
FOLD = datetime(2027, 11, 7, 6, tzinfo=UTC)


def effects(times: Times) -> list[tuple[datetime, str]]:
    return [(change.instant, change.effect) for change in changes_between(times, *YEAR)]


def test_a_cron_meets_the_changes_that_touch_it() -> None:
    ((instant, effect),) = effects(Times(cron="30 2 * * *", timezone=NEW_YORK))
    assert instant == GAP and "02:30 does not exist" in effect
    ((instant, effect),) = effects(Times(cron="30 1 * * *", timezone=NEW_YORK))
    assert instant == FOLD and "first pass only" in effect
    assert effects(Times(cron="0 12 * * *", timezone=NEW_YORK)) == []
    assert effects(Times(cron="30 2 * * *", timezone="UTC")) == []
    assert changes_between(Times(cron="30 2 * * *", timezone=NEW_YORK), GAP, YEAR[1]) == []


def test_a_change_says_what_the_clock_shows_before_and_after() -> None:
    (gap,) = changes_between(Times(cron="30 2 * * *", timezone=NEW_YORK), *YEAR)
    assert (gap.before.hour, gap.after.hour) == (2, 3)
    (fold,) = changes_between(Times(cron="30 1 * * *", timezone=NEW_YORK), *YEAR)
    assert (fold.before.hour, fold.after.hour) == (2, 1)


def test_an_interval_of_elapsed_time_shifts_by_the_wall_clock() -> None:
    anchor = datetime(2027, 1, 1, tzinfo=UTC)
    times = Times(interval_seconds=3600 * 24, anchor_at=anchor, timezone=NEW_YORK)
    assert [effect for _, effect in effects(times)] == [
        "It goes on in equal steps: 1 h later by the wall clock.",
        "It goes on in equal steps: 1 h earlier by the wall clock.",
    ]
    times = Times(interval_seconds=60, anchor_at=anchor, timezone="Australia/Lord_Howe")
    assert "30 min earlier" in effects(times)[0][1]


def test_an_interval_of_days_is_touched_on_its_own_days_only() -> None:
    anchor = datetime(2027, 3, 7, 7, 30, tzinfo=UTC)  # 02:30 by its clock, a week before the gap
    weekly = Times(interval_days=7, anchor_at=anchor, timezone=NEW_YORK)
    assert "02:30 does not exist on 2027-03-14" in effects(weekly)[0][1]
    assert effects(Times(interval_days=6, anchor_at=anchor, timezone=NEW_YORK)) == []
    early = Times(interval_days=1, anchor_at=anchor - timedelta(hours=1), timezone=NEW_YORK)
    assert "01:30 comes twice on 2027-11-07" in effects(early)[0][1]


def test_one_time_is_never_touched() -> None:
    assert effects(Times(run_at=GAP, timezone=NEW_YORK)) == []


@pytest.mark.parametrize(
    ("cron", "after", "notes"),
    [
        ("30 2 * * *", "2027-03-14T00:00Z", ["stands for 02:30, which does not exist", ""]),
        ("0,30 2,3 * * *", "2027-03-14T06:00Z", ["also stands for 02:00, 02:30, which do", ""]),
        ("*/30 * * * *", "2027-11-07T04:59Z", ["first pass"] * 2 + ["second pass"] * 2 + [""]),
        ("30 1 * * *", "2027-11-06T04:00Z", ["", "first pass", ""]),
        ("0 12 * * *", "2027-03-13T00:00Z", ["", "", ""]),
    ],
)
def test_a_run_near_a_change_is_noted(cron: str, after: str, notes: list[str]) -> None:
    times = Times(cron=cron, timezone=NEW_YORK)
    found = [note_of(times, t) for t in islice(fires(times, datetime.fromisoformat(after)), 5)]
    for wanted, note in zip(notes, found, strict=False):
        assert wanted in note if wanted else note == ""
