"""The form of a schedule by itself; its pages are in views/test_form.py."""

from datetime import UTC, datetime
from typing import Any

import pytest

from accounts.models import User
from controlplane.actors import Actor
from scheduling.errors import NameTaken, ScheduleLimitReached
from scheduling.forms import ScheduleForm
from scheduling.models import JobSchedule
from tests.conftest import actor_for
from tests.scheduling.factories import make_schedule
from tests.scheduling.views.test_form import FIELDS

pytestmark = pytest.mark.django_db


def form(actor: Actor, schedule: JobSchedule | None = None, **fields: Any) -> ScheduleForm:
    found = ScheduleForm(FIELDS | fields, actor=actor, schedule=schedule)
    found.is_valid()
    return found


def test_what_passed_is_ready_for_the_actions(user_actor: Actor) -> None:
    found = form(user_actor, tags="b, a,,b", kwargs="", priority="7", cron=" 0  3 * * * ")
    assert not found.errors
    assert found.values["tags"] == ["b", "a"]
    assert (found.values["cron"], found.values["priority"]) == ("0 3 * * *", 7)
    assert found.values["kwargs"] == {} and found.values["queue"] == ""


def test_times_are_known_however_wrong_the_rest_is(user_actor: Actor) -> None:
    found = form(user_actor, name="", task="gone", kwargs="{")
    assert found.times is not None and found.times.cron == "0 3 * * *"
    assert form(user_actor, cron="x").times is None


def test_the_fingerprint_is_that_of_the_times_alone(user_actor: Actor) -> None:
    one = form(user_actor).fingerprint
    assert form(user_actor, name="another").fingerprint == one
    assert form(user_actor, cron="0 4 * * *").fingerprint != one
    assert form(user_actor, timezone="UTC").fingerprint != one
    every: dict[str, Any] = {"kind": "every", "every": "5", "every_unit": "60"}
    assert form(user_actor, **every).fingerprint == form(user_actor, **every).fingerprint


def test_an_error_of_no_field_stands_above_the_form(user_actor: Actor) -> None:
    found = form(user_actor)
    found.add_domain_error(ScheduleLimitReached("as many as may be"))
    found.add_domain_error(NameTaken("taken"))
    assert found.non_field_errors() == ["as many as may be"]
    assert found.errors["name"] == ["taken"]


def test_a_task_that_only_administrators_run_is_refused_at_its_field(
    user_actor: Actor, options: Any
) -> None:
    options(run_command_enabled=True)
    task = "jobs.tasks.run_command.run_command"
    found = form(user_actor, task=task, kwargs='{"shell": "true"}')
    assert "task" in found.errors or "kwargs" in found.errors


def test_a_second_pass_of_a_wall_time_stays_the_second(user: User) -> None:
    second = datetime(2027, 10, 31, 1, 30, tzinfo=UTC)
    schedule = make_schedule(
        owner=user, cron="", run_at=second, timezone="Europe/Berlin", enabled=False
    )
    fields: dict[str, Any] = {"kind": "once", "run_at": "2027-10-31T02:30:00"}
    kept = form(actor_for(user), schedule, **fields)
    assert kept.values["run_at"] == second
    assert form(actor_for(user), **fields).values["run_at"].hour == 0


def test_tasks_are_offered_by_short_name_and_stored_by_path(user_actor: Actor) -> None:
    schedule = JobSchedule(task="gone.away")
    choices = dict(ScheduleForm(actor=user_actor, schedule=schedule).fields["task"].widget.choices)
    assert ("tests.sample_app.tasks.noop", "noop") in choices["tests.sample_app.tasks"]
    assert choices["not found"] == [("gone.away", "gone.away")]
