"""Edits: what changes, that nothing fires, and that nobody's unseen work is overwritten."""

from datetime import UTC, datetime, timedelta

import pytest

from audit.models import AuditEvent
from controlplane.actors import SYSTEM, Actor
from controlplane.errors import ControlPlaneError
from jobs.models import Job
from scheduling.actions import (
    disable_schedule,
    pause_schedule,
    resume_schedule,
    update_schedule,
)
from scheduling.errors import InvalidSchedule, NameTaken, ScheduleNotFound, StaleEdit
from scheduling.lifecycle import ScheduleStatus
from scheduling.materialise import fire_due
from scheduling.models import JobSchedule
from tests.scheduling.factories import make_due, make_schedule

pytestmark = pytest.mark.django_db


def test_an_edit_sets_what_is_given_and_counts_the_version() -> None:
    schedule = make_schedule(description="old", queue="slow")
    edited = update_schedule(
        schedule_id=schedule.id, actor=SYSTEM, expected_version=1, description="new"
    )
    assert (edited.description, edited.queue, edited.version) == ("new", "slow", 2)
    assert edited.next_run_at == schedule.next_run_at
    event = AuditEvent.objects.get(event_type="SCHEDULE_UPDATED")
    assert event.metadata["changed"] == ["description"]


def test_an_edit_that_changes_nothing_leaves_no_trace() -> None:
    schedule = make_schedule()
    same = update_schedule(schedule_id=schedule.id, actor=SYSTEM, cron=" 00 0 1 1 * ", args=[])
    assert same.version == 1
    assert not AuditEvent.objects.filter(event_type="SCHEDULE_UPDATED").exists()


def test_a_stale_edit_is_refused() -> None:
    schedule = make_schedule()
    update_schedule(schedule_id=schedule.id, actor=SYSTEM, expected_version=1, description="first")
    with pytest.raises(StaleEdit, match="at version 2; the edit began at 1") as refusal:
        update_schedule(schedule_id=schedule.id, actor=SYSTEM, expected_version=1, description="2")
    assert refusal.value.http_status == 409
    assert refusal.value.changed == ("description",)
    assert refusal.value.message.startswith("description changed meanwhile")


def test_a_stale_edit_hears_of_all_that_others_changed_since_it_began() -> None:
    schedule = make_schedule()
    update_schedule(schedule_id=schedule.id, actor=SYSTEM, queue="before")
    update_schedule(schedule_id=schedule.id, actor=SYSTEM, description="first")
    disable_schedule(schedule_id=schedule.id, actor=SYSTEM)
    with pytest.raises(StaleEdit) as refusal:
        update_schedule(schedule_id=schedule.id, actor=SYSTEM, expected_version=2, queue="after")
    assert refusal.value.changed == ("cron", "description", "timezone")


def test_firing_pausing_and_resuming_make_no_edit_stale() -> None:
    schedule = make_due(make_schedule())
    fire_due(10)
    pause_schedule(schedule_id=schedule.id, actor=SYSTEM)
    resume_schedule(schedule_id=schedule.id, actor=SYSTEM)
    update_schedule(schedule_id=schedule.id, actor=SYSTEM, expected_version=1, queue="slow")


def test_the_trail_tells_what_was_and_what_is_but_no_arguments() -> None:
    schedule = make_schedule(task="tests.sample_app.tasks.echo", queue="slow")
    update_schedule(schedule_id=schedule.id, actor=SYSTEM, queue="fast", args=["secret"])
    event = AuditEvent.objects.get(event_type="SCHEDULE_UPDATED")
    assert event.metadata["changed"] == ["args", "queue"]
    assert event.metadata["before"] == {"queue": "slow"}
    assert event.metadata["after"] == {"queue": "fast"}
    assert event.metadata["version"] == 2


def test_an_interval_keeps_its_anchor_and_other_times_have_none() -> None:
    schedule = make_schedule(interval_days=7)
    anchor = schedule.anchor_at
    assert anchor is not None
    edited = update_schedule(schedule_id=schedule.id, actor=SYSTEM, interval_days=1)
    assert (edited.interval_days, edited.anchor_at) == (1, anchor)
    edited = update_schedule(schedule_id=schedule.id, actor=SYSTEM, interval_seconds=60)
    assert (edited.interval_days, edited.interval_seconds) == (None, 60)
    edited = update_schedule(schedule_id=schedule.id, actor=SYSTEM, cron="@daily")
    assert (edited.interval_seconds, edited.anchor_at, edited.cron) == (None, None, "@daily")


def test_another_window_moves_the_next_time() -> None:
    schedule = make_schedule(cron="@daily")
    later = datetime(2100, 5, 1, 12, tzinfo=UTC)
    edited = update_schedule(schedule_id=schedule.id, actor=SYSTEM, starts_at=later)
    assert edited.next_run_at == datetime(2100, 5, 2, tzinfo=UTC)
    with pytest.raises(InvalidSchedule) as refusal:
        update_schedule(schedule_id=schedule.id, actor=SYSTEM, ends_at=later)
    assert refusal.value.field == "ends_at"


def test_another_cron_starts_from_its_next_time_and_fires_nothing() -> None:
    others = [make_schedule(f"other {i}") for i in range(5)]
    schedule = make_due(make_schedule(), timedelta(hours=2))
    edited = update_schedule(schedule_id=schedule.id, actor=SYSTEM, cron="0 0 2 2 *")
    assert edited.schedule_status == ScheduleStatus.ENABLED
    assert edited.next_run_at is not None and edited.next_run_at.month == 2
    update_schedule(schedule_id=schedule.id, actor=SYSTEM, timezone="Asia/Tokyo")
    update_schedule(schedule_id=schedule.id, actor=SYSTEM, description="words")
    assert fire_due(100) == 0
    assert not Job.objects.exists()
    assert [s.next_run_at for s in JobSchedule.objects.filter(name__startswith="other")] == [
        o.next_run_at for o in others
    ]


def test_taking_the_cron_away_unschedules_and_giving_one_pauses() -> None:
    schedule = make_schedule()
    edited = update_schedule(schedule_id=schedule.id, actor=SYSTEM, cron="")
    assert (edited.schedule_status, edited.next_run_at) == (ScheduleStatus.UNSCHEDULED, None)
    edited = update_schedule(schedule_id=schedule.id, actor=SYSTEM, cron="@daily")
    assert edited.schedule_status == ScheduleStatus.PAUSED
    edited = update_schedule(schedule_id=schedule.id, actor=SYSTEM, enabled=True)
    assert edited.schedule_status == ScheduleStatus.ENABLED


def test_a_schedule_without_a_cron_cannot_be_enabled() -> None:
    schedule = make_schedule(cron="")
    with pytest.raises(ControlPlaneError, match="with times can be enabled"):
        update_schedule(schedule_id=schedule.id, actor=SYSTEM, enabled=True)


def test_a_lost_task_stays_lost_until_another_is_named() -> None:
    schedule = make_schedule()
    JobSchedule.objects.filter(id=schedule.id).update(
        schedule_status="TASK_NOT_FOUND", next_run_at=None, task="gone.away"
    )
    edited = update_schedule(schedule_id=schedule.id, actor=SYSTEM, cron="@daily", description="x")
    assert edited.schedule_status == ScheduleStatus.TASK_NOT_FOUND
    edited = update_schedule(
        schedule_id=schedule.id, actor=SYSTEM, task="tests.sample_app.tasks.echo"
    )
    assert edited.schedule_status == ScheduleStatus.PAUSED


@pytest.mark.parametrize(
    "values", [{"cron": "61 * * * *"}, {"kwargs": {"unknown": 1}}, {"task": "gone.away"}]
)
def test_a_refused_edit_stores_nothing(values: dict[str, object]) -> None:
    schedule = make_schedule()
    with pytest.raises(ControlPlaneError):
        update_schedule(
            schedule_id=schedule.id,
            actor=SYSTEM,
            description="half",
            **values,  # type: ignore[arg-type]
        )
    schedule.refresh_from_db()
    assert (schedule.description, schedule.version) == ("", 1)


def test_a_name_in_use_is_refused() -> None:
    make_schedule("first")
    second = make_schedule("second")
    with pytest.raises(NameTaken):
        update_schedule(schedule_id=second.id, actor=SYSTEM, name="first")


def test_others_schedules_do_not_exist(user_actor: Actor) -> None:
    with pytest.raises(ScheduleNotFound):
        update_schedule(schedule_id=make_schedule().id, actor=user_actor, description="mine now")
