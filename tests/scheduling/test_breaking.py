"""Setting a schedule aside: stopped, with the reason, recorded."""

import pytest

from audit.models import AuditEvent
from jobs.errors import TaskNotFound
from scheduling.breaking import MAX_REASON, reason_of, set_aside
from scheduling.errors import InvalidCron
from tests.scheduling.factories import YEARLY, make_schedule


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
