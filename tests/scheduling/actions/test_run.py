"""Running by hand: one job, never beside another unless overlap is allowed, never while RUNNING."""

import math
from typing import Any

import pytest

from accounts.models import User
from audit.models import AuditEvent
from controlplane.actors import SYSTEM, Actor
from controlplane.errors import InvalidInput, PermissionDenied
from jobs.lifecycle import Status
from jobs.models import Job
from scheduling.actions import run_now
from scheduling.errors import InvalidTransition
from scheduling.lifecycle import OverlapPolicy
from scheduling.models import Firing
from tests.factories import make_job
from tests.scheduling.conftest import Options
from tests.scheduling.factories import make_schedule

pytestmark = pytest.mark.django_db


def test_a_run_makes_the_job_and_leaves_the_clock_alone(user: User, user_actor: Actor) -> None:
    schedule = make_schedule(owner=user)
    job = run_now(schedule_id=schedule.id, actor=user_actor, reason="to see it")
    assert (job.trigger, job.trigger_id, job.owner_id) == ("schedule", schedule.id, user.pk)
    firing = Firing.objects.get()
    assert (firing.kind, firing.job_id, firing.reason) == ("manual", job.id, "to see it")
    before = schedule.next_run_at
    schedule.refresh_from_db()
    assert schedule.next_run_at == before
    event = AuditEvent.objects.get(event_type="SCHEDULE_RUN")
    assert (event.actor_id, event.metadata["job_id"]) == (user.pk, job.id)


def test_an_unfinished_job_refuses_a_second_one() -> None:
    schedule = make_schedule()
    job = run_now(schedule_id=schedule.id, actor=SYSTEM)
    with pytest.raises(InvalidTransition, match=f"Job {job.id}"):
        run_now(schedule_id=schedule.id, actor=SYSTEM)
    assert Job.objects.count() == Firing.objects.count() == 1


def test_allowed_overlap_lets_jobs_wait_side_by_side_but_not_run_by_hand_while_running() -> None:
    schedule = make_schedule(overlap_policy=OverlapPolicy.ALLOW)
    run_now(schedule_id=schedule.id, actor=SYSTEM)
    run_now(schedule_id=schedule.id, actor=SYSTEM)
    make_job(Status.RUNNING, trigger="schedule", trigger_id=schedule.id)
    with pytest.raises(InvalidTransition, match="RUNNING"):
        run_now(schedule_id=schedule.id, actor=SYSTEM)


def test_an_operator_may_run_what_an_admin_has_set_up(
    admin: User, operator_actor: Actor, options: Options
) -> None:
    options(run_command_enabled=True)
    schedule = make_schedule(
        owner=admin, task="jobs.tasks.run_command.run_command", kwargs={"shell": "true"}
    )
    assert run_now(schedule_id=schedule.id, actor=operator_actor).kwargs == {"shell": "true"}


def test_a_task_whose_unique_key_is_held_is_refused() -> None:
    task = "tests.sample_app.tasks.only_one"
    first, second = (make_schedule(name, task=task, cron="") for name in ("one", "two"))
    job = run_now(schedule_id=first.id, actor=SYSTEM)
    with pytest.raises(InvalidTransition, match=f"Job {job.id} holds"):
        run_now(schedule_id=second.id, actor=SYSTEM)
    assert Firing.objects.count() == 1


def test_arguments_may_be_others_for_one_run() -> None:
    schedule = make_schedule(task="tests.sample_app.tasks.add", args=[1], kwargs={"b": 2})
    job = run_now(schedule_id=schedule.id, actor=SYSTEM, args=[5], kwargs={"b": 6}, reason="why")
    assert (job.args, job.kwargs) == ([5], {"b": 6})
    schedule.refresh_from_db()
    assert (schedule.args, schedule.kwargs, schedule.version) == ([1], {"b": 2}, 1)
    event = AuditEvent.objects.get(event_type="SCHEDULE_RUN")
    assert event.metadata == {
        "job_id": job.id,
        "reason": "why",
        "overridden": ["args", "kwargs"],
    }


def test_named_arguments_that_are_not_given_stay() -> None:
    schedule = make_schedule(task="tests.sample_app.tasks.add", kwargs={"a": 1, "b": 2})
    assert run_now(schedule_id=schedule.id, actor=SYSTEM, kwargs={"b": 3}).kwargs == {
        "a": 1,
        "b": 3,
    }


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"kwargs": {"c": 1}}, "c"),
        ({"args": [1, 2, 3]}, "arguments"),
        ({"args": "text"}, "args"),
        ({"kwargs": {"b": math.nan}}, "kwargs.b"),
    ],
)
def test_arguments_that_the_task_does_not_take_are_refused(
    given: dict[str, Any], field: str
) -> None:
    schedule = make_schedule(task="tests.sample_app.tasks.add", args=[1])
    with pytest.raises(InvalidInput) as refusal:
        run_now(schedule_id=schedule.id, actor=SYSTEM, **given)
    assert refusal.value.field == field
    assert not Job.objects.exists()


def test_who_gives_other_arguments_answers_for_them(
    admin: User, operator_actor: Actor, options: Options
) -> None:
    options(run_command_enabled=True)
    schedule = make_schedule(
        owner=admin, task="jobs.tasks.run_command.run_command", kwargs={"shell": "true"}
    )
    with pytest.raises(PermissionDenied):
        run_now(schedule_id=schedule.id, actor=operator_actor, kwargs={"shell": "rm -rf x"})
