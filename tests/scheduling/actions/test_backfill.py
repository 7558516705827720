"""Backfill: past times as jobs, listed first, once each, within bounds."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from audit.models import AuditEvent
from controlplane.actors import SYSTEM, Actor
from jobs.errors import TaskNotFound
from jobs.lifecycle import Status
from jobs.models import Job
from scheduling.actions import backfill_schedule, update_schedule
from scheduling.actions.backfill import MAX_BACKFILL, Backfill
from scheduling.errors import InvalidSchedule, InvalidTransition, ScheduleNotFound
from scheduling.lifecycle import OverlapPolicy, ScheduleStatus
from scheduling.models import JobSchedule
from tests.scheduling.factories import make_schedule

pytestmark = pytest.mark.django_db

MONDAY = datetime(2026, 5, 4, tzinfo=UTC)
DAY = timedelta(days=1)


def backfill(schedule: JobSchedule, **how: Any) -> Backfill:
    given: dict[str, Any] = {"since": MONDAY, "until": MONDAY + 3 * DAY, "dry_run": False} | how
    return backfill_schedule(schedule_id=schedule.id, actor=SYSTEM, **given)


def daily(**values: Any) -> JobSchedule:
    return make_schedule(cron="0 9 * * *", **values)


def test_a_dry_run_lists_the_times_and_makes_nothing() -> None:
    found = backfill(daily(), dry_run=True)
    assert found.times == [MONDAY + timedelta(hours=9) + number * DAY for number in range(3)]
    assert (found.run_before, found.firings) == (0, [])
    assert not Job.objects.exists()
    assert not AuditEvent.objects.filter(event_type="SCHEDULE_BACKFILLED").exists()


def test_each_time_becomes_a_job_one_after_another() -> None:
    schedule = daily()
    before = schedule.next_run_at
    found = backfill(schedule, reason="the export was broken")
    assert [f.nominal_time for f in found.firings] == found.times
    rows = schedule.firings.order_by("nominal_time")
    assert {(f.kind, f.outcome, f.reason) for f in rows} == {
        ("backfill", "enqueued", "the export was broken")
    }
    statuses = Job.objects.order_by("id").values_list("status", flat=True)
    assert list(statuses) == [Status.PENDING, Status.BLOCKED, Status.BLOCKED]
    schedule.refresh_from_db()
    assert (schedule.next_run_at, schedule.last_fired_at) == (before, None)
    event = AuditEvent.objects.get(event_type="SCHEDULE_BACKFILLED")
    assert (event.target_id, event.metadata["times"]) == (schedule.id, 3)


def test_with_overlap_allowed_all_may_run_at_once() -> None:
    backfill(daily(overlap_policy=OverlapPolicy.ALLOW))
    assert Job.objects.filter(status=Status.PENDING).count() == 3


def test_no_time_is_run_twice() -> None:
    schedule = daily()
    backfill(schedule, until=MONDAY + DAY)
    again = backfill(schedule)
    assert (len(again.times), again.run_before) == (2, 1)
    assert backfill(schedule).times == []
    assert Job.objects.count() == schedule.firings.count() == 3


def test_both_ends_are_included_and_the_window_is_kept_to() -> None:
    schedule = daily(starts_at=MONDAY + 10 * DAY, ends_at=datetime(2100, 1, 1, tzinfo=UTC))
    first = MONDAY + 10 * DAY + timedelta(hours=9)
    assert backfill(schedule, since=MONDAY, until=first, dry_run=True).times == [first]
    assert backfill(schedule, since=first, until=first, dry_run=True).times == [first]


@pytest.mark.parametrize(
    ("how", "field"),
    [
        ({"since": MONDAY + 4 * DAY}, "since"),
        ({"since": MONDAY.replace(tzinfo=None)}, "since"),
        ({"until": datetime(2100, 1, 1, tzinfo=UTC)}, "until"),
        ({"since": datetime(2020, 1, 1, tzinfo=UTC)}, "until"),
    ],
)
def test_a_range_without_sense_is_refused_by_field(how: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidSchedule) as refusal:
        backfill(daily(), **how)
    assert refusal.value.field == field
    assert not Job.objects.exists()


def test_too_many_times_are_refused_and_the_last_one_possible_is_named() -> None:
    schedule = make_schedule(cron="* * * * *")
    with pytest.raises(InvalidSchedule, match=f"more than {MAX_BACKFILL}.*2026-05-04T16:39"):
        backfill(schedule)
    found = backfill(schedule, until=MONDAY + timedelta(minutes=MAX_BACKFILL - 1))
    assert len(found.firings) == Job.objects.count() == MAX_BACKFILL


def test_it_needs_times_and_a_task() -> None:
    with pytest.raises(InvalidTransition, match="UNSCHEDULED"):
        backfill(make_schedule(cron=""))
    schedule = daily(name="other", enabled=False)
    assert schedule.schedule_status == ScheduleStatus.PAUSED
    backfill(schedule, dry_run=True)
    JobSchedule.objects.filter(id=schedule.id).update(task="gone.away")
    with pytest.raises(TaskNotFound):
        backfill(schedule)


def test_it_runs_the_schedule_as_it_is_now() -> None:
    schedule = daily()
    update_schedule(schedule_id=schedule.id, actor=SYSTEM, queue="slow")
    backfill(schedule, until=MONDAY + DAY)
    assert Job.objects.get().queue == "slow"


def test_others_schedules_do_not_exist(user_actor: Actor) -> None:
    with pytest.raises(ScheduleNotFound):
        backfill_schedule(
            schedule_id=daily().id, actor=user_actor, since=MONDAY, until=MONDAY + DAY
        )
