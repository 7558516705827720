"""Making a schedule: what is stored, what is refused, and that nothing fires."""

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.models import User
from audit.models import AuditEvent
from controlplane.actors import SYSTEM, Actor
from controlplane.errors import ControlPlaneError, PermissionDenied
from jobs.models import Job
from scheduling.actions import create_schedule, delete_schedule
from scheduling.errors import NameTaken
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
from tests.scheduling.conftest import Options
from tests.scheduling.factories import NOOP

ADD = "tests.sample_app.tasks.add"
PAST = datetime(2020, 1, 1, tzinfo=UTC)
FUTURE = datetime(2100, 5, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def create(actor: Actor, **values: Any) -> JobSchedule:
    return create_schedule(actor=actor, **({"name": "nightly", "task": NOOP} | values))


def test_with_a_cron_it_is_paused_and_owned_by_its_author(user: User, user_actor: Actor) -> None:
    schedule = create(user_actor, cron=" 05 03 * * mon ", timezone="Europe/Berlin")
    schedule.refresh_from_db()
    assert (schedule.schedule_status, schedule.next_run_at) == (ScheduleStatus.PAUSED, None)
    assert (schedule.cron, schedule.timezone) == ("5 3 * * MON", "Europe/Berlin")
    assert schedule.owner_id == user.pk
    event = AuditEvent.objects.get(event_type="SCHEDULE_CREATED")
    assert (event.target_id, event.actor_id) == (schedule.id, user.pk)


def test_enabled_at_once_it_waits_for_its_first_time(user_actor: Actor) -> None:
    schedule = create(user_actor, cron="* * * * *", enabled=True)
    schedule.refresh_from_db()
    assert schedule.schedule_status == ScheduleStatus.ENABLED
    assert schedule.next_run_at is not None and schedule.next_run_at > schedule.created_at
    assert not Job.objects.exists()


def test_without_a_cron_it_is_unscheduled(user_actor: Actor) -> None:
    assert create(user_actor).schedule_status == ScheduleStatus.UNSCHEDULED
    with pytest.raises(ControlPlaneError, match="with times can be enabled"):
        create(user_actor, name="other", enabled=True)


def test_a_name_is_taken_once_per_owner_until_it_is_deleted(
    user_actor: Actor, other_user_actor: Actor
) -> None:
    first = create(user_actor)
    with pytest.raises(NameTaken) as refusal:
        create(user_actor, name=" nightly ")
    assert refusal.value.field == "name"
    create(other_user_actor)
    create(SYSTEM)
    with pytest.raises(NameTaken):
        create(SYSTEM)
    delete_schedule(schedule_id=first.id, actor=user_actor)
    create(user_actor)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"name": "  "}, "name"),
        ({"name": "x" * 151}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": 7}, "name"),
        ({"description": "x" * 10_001}, "description"),
        ({"description": "\ud800"}, "description"),
        ({"task": "no.such.task"}, "task"),
        ({"task": "os.system"}, "task"),
        ({"task": ADD}, "a"),
        ({"task": ADD, "args": [1], "kwargs": {"c": 1}}, "c"),
        ({"args": "text"}, "args"),
        ({"kwargs": [1]}, "kwargs"),
        ({"task": ADD, "args": [math.nan]}, "args[0]"),
        ({"queue": "q" * 101}, "queue"),
        ({"priority": 101}, "priority"),
        ({"priority": True}, "priority"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"max_attempts": 22}, "max_attempts"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
        ({"timeout_seconds": math.inf}, "timeout_seconds"),
        ({"timeout_seconds": 31 * 86_400 + 1}, "timeout_seconds"),
        ({"cron": "61 * * * *"}, "cron"),
        ({"cron": "0 0 31 2 *"}, "cron"),
        ({"cron": "x" * 300}, "cron"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"timezone": ""}, "timezone"),
        ({"overlap_policy": "perhaps"}, "overlap_policy"),
        ({"missed_policy": "run_twice"}, "missed_policy"),
        ({"missed_window_seconds": 59}, "missed_window_seconds"),
        ({"missed_window_seconds": None}, "missed_window_seconds"),
        ({"missed_limit": 0}, "missed_limit"),
        ({"missed_limit": 1001}, "missed_limit"),
        ({"jitter_seconds": 3601}, "jitter_seconds"),
        ({"jitter_seconds": 1.5}, "jitter_seconds"),
        ({"interval_seconds": 0}, "interval_seconds"),
        ({"interval_seconds": 366 * 86_400 + 1}, "interval_seconds"),
        ({"interval_days": 367}, "interval_days"),
        ({"interval_days": 1, "cron": "@daily"}, "interval_days"),
        ({"interval_days": 1, "anchor_at": "2026-01-01"}, "anchor_at"),
        ({"run_at": PAST}, "run_at"),
        ({"run_at": PAST.replace(tzinfo=None)}, "run_at"),
        ({"run_at": PAST.replace(year=3000)}, "run_at"),
        ({"cron": "@daily", "starts_at": FUTURE, "ends_at": FUTURE}, "ends_at"),
        ({"cron": "@daily", "ends_at": PAST}, "ends_at"),
        ({"cron": "@yearly", "starts_at": FUTURE, "ends_at": FUTURE + HOUR}, "ends_at"),
        ({"tags": "text"}, "tags"),
        ({"tags": ["a", " "]}, "tags"),
        ({"tags": ["x" * 51]}, "tags"),
        ({"tags": [str(number) for number in range(21)]}, "tags"),
        ({"tags": [1]}, "tags"),
    ],
)
def test_bad_values_are_refused_by_field_and_nothing_is_stored(
    user_actor: Actor, values: dict[str, Any], field: str
) -> None:
    with pytest.raises(ControlPlaneError) as refusal:
        create(user_actor, **values)
    assert refusal.value.field == field
    assert 400 <= refusal.value.http_status < 500
    assert not JobSchedule.objects.exists()
    assert not AuditEvent.objects.filter(target_type="schedule").exists()


@pytest.mark.parametrize("missing", ["name", "task"])
def test_name_and_task_are_needed(user_actor: Actor, missing: str) -> None:
    values: dict[str, Any] = {"name": "n", "task": NOOP}
    del values[missing]
    with pytest.raises(ControlPlaneError) as refusal:
        create_schedule(actor=user_actor, **values)
    assert refusal.value.field == missing


def test_a_dangerous_task_is_for_those_who_may(
    user_actor: Actor, admin_actor: Actor, options: Options
) -> None:
    options(run_command_enabled=True)
    command: dict[str, Any] = {
        "task": "jobs.tasks.run_command.run_command",
        "kwargs": {"shell": "true"},
    }
    with pytest.raises(PermissionDenied):
        create(user_actor, **command)
    assert create(admin_actor, **command)


def test_nobody_without_a_role_makes_any(nobody_actor: Actor) -> None:
    with pytest.raises(PermissionDenied):
        create(nobody_actor)


@pytest.mark.parametrize(
    "columns",
    [
        {"schedule_status": "ENABLED"},
        {"next_run_at": "2026-01-01T00:00Z"},
        {"cron": ""},
        {"schedule_status": "UNSCHEDULED"},
        {"schedule_status": "SLEEPING"},
        {"overlap_policy": "perhaps"},
        {"missed_policy": "perhaps"},
        {"priority": 101},
        {"max_attempts": 0},
        {"timeout_seconds": 0},
    ],
)
def test_the_database_refuses_what_no_schedule_may_be(
    user_actor: Actor, columns: dict[str, Any]
) -> None:
    schedule = create(user_actor, cron="* * * * *")
    with pytest.raises(IntegrityError), transaction.atomic():
        JobSchedule.objects.filter(id=schedule.id).update(**columns)


def test_every_kind_of_times_can_be_enabled(user_actor: Actor) -> None:
    kinds: list[dict[str, Any]] = [
        {"cron": "@daily"},
        {"interval_seconds": 90},
        {"interval_days": 7, "anchor_at": PAST, "timezone": "Europe/Brussels"},
        {"run_at": FUTURE},
    ]
    for number, times in enumerate(kinds):
        made = create(user_actor, name=str(number), enabled=True, **times)
        made.refresh_from_db()
        assert made.schedule_status == ScheduleStatus.ENABLED
        assert made.next_run_at is not None and made.next_run_at > made.created_at


def test_an_interval_without_an_anchor_counts_from_its_start_or_from_now(
    user_actor: Actor,
) -> None:
    made = create(user_actor, name="a", interval_seconds=60)
    assert made.anchor_at is not None
    assert abs(made.anchor_at - made.created_at) <= timedelta(seconds=1)
    made = create(user_actor, name="b", interval_days=1, starts_at=FUTURE)
    assert made.anchor_at == FUTURE
