"""Starting and stopping the clock of a schedule in memory."""

from datetime import UTC, datetime, timedelta

import pytest

from scheduling.actions.timing import anchor, clear_times, enable, follow_times, quiet, times_facts
from scheduling.errors import InvalidCron
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def schedule(status: str, cron: str = "0 * * * *") -> JobSchedule:
    return JobSchedule(cron=cron, timezone="UTC", schedule_status=status)


def test_enabled_it_waits_for_the_first_time_strictly_after_now() -> None:
    row = schedule("PAUSED")
    enable(row, NOON)
    assert (row.schedule_status, row.next_run_at) == ("ENABLED", NOON + timedelta(hours=1))


def test_without_a_time_left_it_cannot_be_enabled() -> None:
    with pytest.raises(InvalidCron, match="no time left"):
        enable(schedule("PAUSED"), datetime(9998, 12, 31, 23, 30, tzinfo=UTC))


def test_quiet_has_no_next_time() -> None:
    row = schedule("ENABLED")
    enable(row, NOON)
    quiet(row, ScheduleStatus.PAUSED, "why")
    assert (row.schedule_status, row.next_run_at, row.status_reason) == ("PAUSED", None, "why")


@pytest.mark.parametrize(
    ("status", "cron", "after"),
    [
        ("ENABLED", "0 * * * *", "ENABLED"),
        ("PAUSED", "0 * * * *", "PAUSED"),
        ("UNSCHEDULED", "0 * * * *", "PAUSED"),
        ("TASK_NOT_FOUND", "0 * * * *", "PAUSED"),
        ("ENABLED", "", "UNSCHEDULED"),
    ],
)
def test_status_follows_edited_times(status: str, cron: str, after: str) -> None:
    row = schedule(status, cron)
    follow_times(row, NOON)
    assert row.schedule_status == after
    assert (row.next_run_at is not None) is (after == "ENABLED")


def test_an_edit_while_paused_counts_its_passed_times_anew() -> None:
    row = schedule("PAUSED")
    follow_times(row, NOON)
    assert row.quiet_since is None
    row.quiet_since = NOON
    follow_times(row, NOON + timedelta(hours=2))
    assert row.quiet_since == NOON + timedelta(hours=2)


def test_clearing_takes_every_kind_of_times_away() -> None:
    row = JobSchedule(interval_days=7, timezone="Europe/Paris")
    anchor(row, NOON)
    assert times_facts(row) == {
        "interval_days": "7",
        "anchor_at": "2026-01-01T12:00:00+00:00",
        "timezone": "Europe/Paris",
    }
    clear_times(row)
    assert not row.times
    assert times_facts(row) == {}
