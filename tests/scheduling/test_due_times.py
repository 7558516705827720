"""What a late scheduler does with the times it finds: fire, make up for, or tell."""

from datetime import UTC, datetime, timedelta

import pytest

from scheduling.due_times import MISSED_AFTER, DueTimes, Fate, MissedRule, Slot, counted, due_times
from scheduling.errors import InvalidCron
from scheduling.lifecycle import MissedPolicy
from scheduling.times import Times

NINE = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
SKIP = MissedRule(MissedPolicy.SKIP)


def due(cron: str, later: timedelta, rule: MissedRule | None = None) -> DueTimes:
    return due_times(Times(cron=cron), NINE, NINE + later, rule or MissedRule())


def told(found: DueTimes) -> list[tuple[str, Fate]]:
    return [(f"{slot.nominal_time:%d %H:%M}", slot.fate) for slot in found.slots]


def test_a_time_just_due_is_fired_and_the_next_is_after_now() -> None:
    found = due("* * * * *", timedelta(0))
    assert told(found) == [("04 09:00", Fate.RUN)]
    assert found.following == NINE + MINUTE


def test_late_is_not_missed_up_to_the_limit() -> None:
    assert due("0 9 * * *", MISSED_AFTER, SKIP).slots[0].fate is Fate.RUN
    assert due("0 9 * * *", MISSED_AFTER + MINUTE, SKIP).slots[0].fate is Fate.MISS


def test_making_up_is_one_job_for_the_latest_time_and_one_row_for_the_rest() -> None:
    found = due("*/10 * * * *", timedelta(hours=1, minutes=5))
    assert told(found) == [("04 09:00", Fate.COALESCE), ("04 10:00", Fate.MAKE_UP)]
    assert [slot.reason for slot in found.slots] == [
        "6 missed since 2026-05-04 09:00:00Z: the job of 2026-05-04 10:00:00Z stands for all",
        "made up for, 0:05:00 late",
    ]


def test_a_time_that_is_due_stands_for_all_that_was_missed_before_it() -> None:
    found = due("*/10 * * * *", timedelta(hours=1, seconds=3))
    assert told(found) == [("04 09:00", Fate.COALESCE), ("04 10:00", Fate.RUN)]


def test_what_is_older_than_the_window_is_not_made_up_for() -> None:
    within = MissedRule(window=timedelta(hours=2))
    assert told(due("0 9 * * *", timedelta(hours=2), within)) == [("04 09:00", Fate.MAKE_UP)]
    found = due("0 9 * * *", timedelta(hours=2, seconds=1), within)
    assert told(found) == [("04 09:00", Fate.MISS)]
    assert found.slots[0].reason == "older than its window of 2:00:00"


def test_running_all_is_a_job_for_each_of_the_last_ones() -> None:
    rule = MissedRule(MissedPolicy.RUN_ALL, limit=3)
    found = due("*/10 * * * *", timedelta(hours=1, seconds=3), rule)
    assert told(found) == [
        ("04 09:30", Fate.MISS),
        ("04 09:40", Fate.QUEUE_UP),
        ("04 09:50", Fate.QUEUE_UP),
        ("04 10:00", Fate.QUEUE_UP),
    ]
    assert "4 since 2026-05-04 09:00:00Z" in found.slots[0].reason
    assert found.slots[-1].reason == ""


def test_running_all_of_a_few_misses_none() -> None:
    rule = MissedRule(MissedPolicy.RUN_ALL)
    found = due("*/10 * * * *", timedelta(minutes=25), rule)
    assert [fate for _, fate in told(found)] == [Fate.QUEUE_UP] * 3


def test_running_all_keeps_to_the_window() -> None:
    rule = MissedRule(MissedPolicy.RUN_ALL, timedelta(hours=1), 100)
    found = due("0 * * * *", timedelta(days=2, minutes=30), rule)
    assert told(found) == [("06 08:00", Fate.MISS), ("06 09:00", Fate.QUEUE_UP)]
    found = due("0 9 * * 1", timedelta(days=2), rule)
    assert told(found) == [("04 09:00", Fate.MISS)]


def test_skipping_is_one_row_that_tells_of_all() -> None:
    found = due("*/10 * * * *", timedelta(hours=1, minutes=5), SKIP)
    assert told(found) == [("04 10:00", Fate.MISS)]
    assert found.slots[0].reason == "no scheduler was running: 7 since 2026-05-04 09:00:00Z"


def test_skipping_still_fires_what_is_due_now() -> None:
    found = due("*/10 * * * *", timedelta(hours=1, seconds=5), SKIP)
    assert told(found) == [("04 09:50", Fate.MISS), ("04 10:00", Fate.RUN)]


def test_there_may_be_no_next_time() -> None:
    end = datetime(9998, 12, 31, 23, 59, tzinfo=UTC)
    assert due_times(Times(cron="* * * * *"), end, end, SKIP).following is None
    assert due_times(Times(run_at=NINE), NINE, NINE, SKIP).following is None


def test_a_bad_expression_is_raised() -> None:
    with pytest.raises(InvalidCron):
        due("bad", timedelta(0))


def test_counting_ends_somewhere() -> None:
    each_second = Times(cron="* * * * * *")
    assert counted(each_second, NINE, NINE + MINUTE) == "61"
    assert counted(each_second, NINE, NINE + timedelta(days=700)) == "more than 1000"


def test_a_time_that_did_not_exist_says_that_it_was_moved() -> None:
    gap = datetime(2026, 3, 8, 7, 0, tzinfo=UTC)
    times = Times(cron="30 2 * * *", timezone="America/New_York")
    assert due_times(times, gap, gap, SKIP).slots == (
        Slot(gap, reason="moved: 02:30 did not exist"),
    )
    later = gap + timedelta(minutes=5)
    (slot,) = due_times(times, gap, later, MissedRule()).slots
    assert slot.reason == "moved: 02:30 did not exist, made up for, 0:05:00 late"
    daily = Times(
        interval_days=1, timezone="America/New_York", anchor_at=gap + timedelta(days=1, minutes=-30)
    )
    assert due_times(daily, gap, gap, SKIP).slots[0].reason == "moved: 02:30 did not exist"
    assert due("0 9 * * *", timedelta(0)).slots[0].reason == ""
