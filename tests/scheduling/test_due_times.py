"""What a late scheduler does with the times it finds: fire, make up for, or tell."""

from datetime import UTC, datetime, timedelta

import pytest

from scheduling.due_times import MISSED_AFTER, DueTimes, due_times
from scheduling.errors import InvalidCron
from scheduling.lifecycle import MissedPolicy

NINE = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def due(cron: str, later: timedelta, policy: str = MissedPolicy.RUN_ONCE) -> DueTimes:
    return due_times(cron, "UTC", NINE, NINE + later, policy)


def test_a_time_just_due_is_fired_and_the_next_is_after_now() -> None:
    found = due("* * * * *", timedelta(0))
    assert [slot.nominal_time for slot in found.slots] == [NINE]
    assert found.following == NINE + MINUTE


def test_late_is_not_missed_up_to_the_limit() -> None:
    assert due("0 9 * * *", MISSED_AFTER, MissedPolicy.SKIP).slots[0].missed is False
    assert due("0 9 * * *", MISSED_AFTER + MINUTE, MissedPolicy.SKIP).slots[0].missed is True


def test_making_up_is_one_slot_for_the_latest_time_and_counts_the_rest() -> None:
    (slot,) = due("*/10 * * * *", timedelta(hours=1, minutes=5)).slots
    assert slot.nominal_time == NINE + timedelta(hours=1)
    assert slot.reason == (
        "made up for, 0:05:00 late, with 6 earlier ones since 2026-05-04 09:00:00Z"
    )


def test_skipping_is_one_slot_that_tells_of_all() -> None:
    (slot,) = due("*/10 * * * *", timedelta(hours=1, minutes=5), MissedPolicy.SKIP).slots
    assert (slot.missed, slot.nominal_time) == (True, NINE + timedelta(hours=1))
    assert slot.reason == "no scheduler was running: 7 since 2026-05-04 09:00:00Z"


def test_there_may_be_no_next_time() -> None:
    end = datetime(9998, 12, 31, 23, 59, tzinfo=UTC)
    assert due_times("* * * * *", "UTC", end, end, MissedPolicy.SKIP).following is None


def test_a_bad_expression_is_raised() -> None:
    with pytest.raises(InvalidCron):
        due("bad", timedelta(0))
