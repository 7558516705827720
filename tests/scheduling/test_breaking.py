"""Setting a schedule aside: stopped, with the reason, recorded."""

import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from audit.models import AuditEvent
from jobs.errors import TaskNotFound
from scheduling.breaking import MAX_REASON, end, reason_of, set_aside
from scheduling.errors import InvalidCron
from tests.scheduling.factories import NINE, YEARLY, make_schedule

FUTURE = datetime(2100, 5, 1, tzinfo=UTC)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("error", "cron", "status", "event"),
    [
        (ValueError("odd"), YEARLY, "PAUSED", "SCHEDULE_BROKEN"),
        (ValueError("odd"), "", "UNSCHEDULED", "SCHEDULE_BROKEN"),
        (TaskNotFound("odd"), YEARLY, "TASK_NOT_FOUND", "SCHEDULE_TASK_NOT_FOUND"),
    ],
)
def test_it_stops_with_the_reason(error: Exception, cron: str, status: str, event: str) -> None:
    schedule = make_schedule(cron=cron)
    set_aside(schedule, error)
    schedule.refresh_from_db()
    assert (schedule.schedule_status, schedule.cron, schedule.next_run_at) == (status, cron, None)
    assert "odd" in schedule.status_reason
    assert AuditEvent.objects.get(event_type=event).target_id == schedule.id


def test_a_reason_is_one_line_of_bounded_length() -> None:
    assert reason_of(InvalidCron("bad\ncron")) == "bad cron"
    assert reason_of(ValueError("x")) == "ValueError: x"
    assert len(reason_of(ValueError("x" * 5000))) == MAX_REASON


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("times", "status", "reason"),
    [
        ({"run_at": FUTURE}, "UNSCHEDULED", "Its one time was 2100-05-01"),
        ({"ends_at": FUTURE}, "PAUSED", "It ended at 2100-05-01"),
        ({}, "PAUSED", "It has no time left."),
    ],
)
def test_an_end_is_no_fault(
    times: dict[str, Any], status: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    schedule = make_schedule(**times)
    with caplog.at_level(logging.WARNING, logger="controlplane"):
        end(schedule, NINE)
    schedule.refresh_from_db()
    assert (schedule.schedule_status, schedule.next_run_at) == (status, None)
    assert schedule.last_fired_at == NINE
    assert schedule.status_reason.startswith(reason)
    assert not caplog.records
    assert AuditEvent.objects.get(event_type="SCHEDULE_ENDED").target_id == schedule.id
