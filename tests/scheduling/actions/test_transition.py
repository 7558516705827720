"""Every status and every verb: which may, which may not, and that none of them fires anything."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from accounts.models import User
from audit.models import AuditEvent
from controlplane.actors import SYSTEM, Actor
from controlplane.errors import NotFound
from jobs.errors import TaskNotFound
from jobs.models import Job
from scheduling import actions
from scheduling.errors import InvalidTransition, ScheduleNotFound
from scheduling.lifecycle import SOURCES, ScheduleStatus
from scheduling.materialise import fire_due
from scheduling.models import JobSchedule
from tests.scheduling.factories import YEARLY, make_due, make_schedule

pytestmark = pytest.mark.django_db

PAST = datetime(2026, 1, 1, tzinfo=UTC)
ACTIONS = {
    "run": actions.run_now,
    "pause": actions.pause_schedule,
    "resume": actions.resume_schedule,
    "restore": actions.restore_schedule,
    "backfill": partial(actions.backfill_schedule, since=PAST, until=PAST),
    "disable": actions.disable_schedule,
}


def in_status(status: str) -> JobSchedule:
    schedule = make_schedule(cron="" if status == "UNSCHEDULED" else YEARLY)
    if status in ("PAUSED", "TASK_NOT_FOUND"):
        JobSchedule.objects.filter(id=schedule.id).update(schedule_status=status, next_run_at=None)
        schedule.refresh_from_db()
    assert schedule.schedule_status == status
    return schedule


@pytest.mark.parametrize("status", ScheduleStatus.values)
@pytest.mark.parametrize("verb", ACTIONS)
def test_a_verb_is_allowed_from_its_sources_only(verb: str, status: str) -> None:
    schedule = in_status(status)
    if status in SOURCES[verb]:
        ACTIONS[verb](schedule_id=schedule.id, actor=SYSTEM)  # type: ignore[operator]
    else:
        with pytest.raises(InvalidTransition) as refusal:
            ACTIONS[verb](schedule_id=schedule.id, actor=SYSTEM)  # type: ignore[operator]
        assert (refusal.value.code, refusal.value.http_status) == ("INVALID_TRANSITION", 409)
        assert status in refusal.value.message
        schedule.refresh_from_db()
        assert schedule.schedule_status == status


def test_every_verb_has_its_action() -> None:
    assert ACTIONS.keys() == SOURCES.keys()


def test_pause_and_resume_make_up_for_nothing() -> None:
    schedule = make_due(make_schedule(), timedelta(hours=1))
    actions.pause_schedule(schedule_id=schedule.id, actor=SYSTEM, reason="quiet night")
    assert fire_due(10) == 0
    resumed = actions.resume_schedule(schedule_id=schedule.id, actor=SYSTEM)
    assert resumed.schedule_status == ScheduleStatus.ENABLED
    assert fire_due(10) == 0
    assert not Job.objects.exists()
    paused = AuditEvent.objects.get(event_type="SCHEDULE_PAUSED")
    assert paused.metadata["reason"] == "quiet night"


def test_resuming_an_enabled_schedule_changes_nothing() -> None:
    schedule = make_due(make_schedule())
    actions.resume_schedule(schedule_id=schedule.id, actor=SYSTEM)
    again = JobSchedule.objects.get(id=schedule.id)
    assert again.next_run_at == schedule.next_run_at
    assert not AuditEvent.objects.filter(event_type="SCHEDULE_RESUMED").exists()


@pytest.mark.parametrize("verb", ["run", "resume"])
def test_a_missing_task_is_named_on_resume_and_run(verb: str) -> None:
    schedule = in_status("PAUSED")
    JobSchedule.objects.filter(id=schedule.id).update(task="gone.away")
    with pytest.raises(TaskNotFound, match="gone"):
        ACTIONS[verb](schedule_id=schedule.id, actor=SYSTEM)  # type: ignore[operator]


def test_restore_waits_for_the_task_and_keeps_the_cron() -> None:
    schedule = in_status("TASK_NOT_FOUND")
    JobSchedule.objects.filter(id=schedule.id).update(task="gone.away")
    with pytest.raises(TaskNotFound):
        actions.restore_schedule(schedule_id=schedule.id, actor=SYSTEM)
    JobSchedule.objects.filter(id=schedule.id).update(task=schedule.task)
    restored = actions.restore_schedule(schedule_id=schedule.id, actor=SYSTEM)
    assert (restored.schedule_status, restored.cron) == (ScheduleStatus.PAUSED, YEARLY)


def test_disable_clears_the_cron_and_tells_it_to_the_trail() -> None:
    schedule = make_schedule()
    actions.disable_schedule(schedule_id=schedule.id, actor=SYSTEM)
    schedule.refresh_from_db()
    assert (schedule.cron, schedule.schedule_status) == ("", ScheduleStatus.UNSCHEDULED)
    assert AuditEvent.objects.get(event_type="SCHEDULE_DISABLED").metadata["cron"] == YEARLY


def test_delete_takes_it_away_and_keeps_its_history() -> None:
    schedule = make_due(make_schedule())
    fire_due(10)
    actions.delete_schedule(schedule_id=schedule.id, actor=SYSTEM)
    schedule.refresh_from_db()
    assert schedule.deleted_at is not None and schedule.next_run_at is None
    assert schedule.firings.count() == Job.objects.count() == 1
    for action in (*ACTIONS.values(), actions.delete_schedule):
        with pytest.raises(ScheduleNotFound):
            action(schedule_id=schedule.id, actor=SYSTEM)  # type: ignore[operator]


@pytest.mark.parametrize("verb", [*ACTIONS, "delete"])
def test_others_schedules_do_not_exist_for_a_user(
    verb: str, user_actor: Actor, other_user: User
) -> None:
    schedule = make_schedule(owner=other_user)
    action = ACTIONS.get(verb, actions.delete_schedule)
    with pytest.raises(NotFound):
        action(schedule_id=schedule.id, actor=user_actor)  # type: ignore[operator]


@pytest.mark.parametrize("verb", ["pause", "delete"])
def test_an_owner_and_an_operator_may(
    verb: str, user: User, user_actor: Actor, operator_actor: Actor
) -> None:
    action = ACTIONS.get(verb, actions.delete_schedule)
    for name, actor in (("one", user_actor), ("two", operator_actor)):
        action(schedule_id=make_schedule(name, owner=user).id, actor=actor)  # type: ignore[operator]
