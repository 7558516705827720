"""What may be enqueued, by whom, and what a refusal says."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from controlplane.actors import SYSTEM, Actor
from controlplane.errors import ControlPlaneError, PermissionDenied
from jobs.actions.enqueue import enqueue_job
from jobs.errors import InvalidArguments, InvalidJson, TaskNotFound
from jobs.models import Job
from tests.jobs.reading import events, trail
from tests.sample_app import tasks

pytestmark = pytest.mark.django_db

NOOP = "tests.sample_app.tasks.noop"
ADD = "tests.sample_app.tasks.add"
TASK: Any = tasks.noop


def enqueued(**options: Any) -> Job:
    """The new job, of `noop` by the system unless told otherwise."""
    defaults: dict[str, Any] = {"task": NOOP, "actor": SYSTEM}
    result = enqueue_job(**(defaults | options))
    assert result.created
    return Job.objects.get(pk=result.job_id)


def refused(error: type[ControlPlaneError], **options: Any) -> ControlPlaneError:
    with pytest.raises(error) as caught:
        enqueued(**options)
    assert not Job.objects.exists()
    return caught.value


def test_a_job_has_the_options_it_was_given(user: User) -> None:
    due = timezone.now() + timedelta(hours=1)
    job = enqueued(
        task=ADD,
        args=[1],
        kwargs={"b": 2},
        queue="mail",
        priority=-3,
        run_after=due,
        max_attempts=7,
        timeout_seconds=1.5,
        owner_id=user.pk,
        trigger="api",
        trigger_id=9,
        unique_key="u",
        overlap_key="o",
        idempotency_key="i",
    )
    assert (job.task, job.args, job.kwargs) == (ADD, [1], {"b": 2})
    assert (job.queue, job.priority, job.status, job.run_after) == ("mail", -3, "SCHEDULED", due)
    assert (job.max_attempts, job.timeout_seconds, job.isolated) == (7, 1.5, False)
    assert (job.owner_id, job.trigger, job.trigger_id) == (user.pk, "api", 9)
    assert (job.unique_key, job.overlap_key, job.idempotency_key) == ("u", "o", "i")
    assert trail(job.id) == ["JOB_CREATED"]


def test_what_is_not_said_is_the_tasks() -> None:
    due = timezone.now() + timedelta(hours=1)
    chosen = TASK.using(
        queue_name="slow", priority=5, run_after=due, max_attempts=2, isolation="process"
    )
    job = enqueued(task=chosen)
    assert (job.queue, job.priority, job.run_after) == ("slow", 5, due)
    assert (job.max_attempts, job.isolated) == (2, True)


def test_what_is_said_beats_the_tasks() -> None:
    chosen = TASK.using(queue_name="slow", priority=5, max_attempts=2)
    job = enqueued(task=chosen, queue="fast", priority=0, max_attempts=1)
    assert (job.queue, job.priority, job.max_attempts) == ("fast", 0, 1)


def test_what_neither_says_is_the_projects(settings: Settings) -> None:
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"default_max_attempts": 9}
    job = enqueued()
    assert (job.queue, job.priority, job.max_attempts) == ("default", 0, 9)
    assert (job.timeout_seconds, job.owner_id, job.trigger) == (None, None, "code")


@pytest.mark.parametrize(
    ("options", "field", "words"),
    [
        ({"args": ["a\x00"]}, "args[0]", "NUL"),
        ({"args": [float("nan")]}, "args[0]", "nan"),
        ({"args": [{"x": "\ud800"}]}, "args[0].x", "surrogate"),
        ({"args": [{1}]}, "args[0]", "set"),
        ({"kwargs": {"value": {2: 1}}}, "kwargs.value", "key 2"),
    ],
)
def test_values_that_are_no_json_are_refused_by_name(
    options: dict[str, Any], field: str, words: str
) -> None:
    error = refused(InvalidJson, task="tests.sample_app.tasks.echo", **options)
    assert error.field == field
    assert words in error.message


def test_too_deep_and_too_large_arguments_are_refused_with_the_limit() -> None:
    deep: list[Any] = []
    for _ in range(40):
        deep = [deep]
    echo = "tests.sample_app.tasks.echo"
    assert "32 levels" in refused(InvalidJson, task=echo, args=[deep]).message
    error = refused(InvalidJson, task=echo, args=["x" * 1_000_001])
    assert "at most 1000000" in error.message
    error = refused(InvalidJson, task=echo, kwargs={"value": "x" * 1_000_001})
    assert error.message.startswith("kwargs is ")


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"task": ADD}, "a"),
        ({"task": ADD, "args": [1], "kwargs": {"c": 1}}, "c"),
        ({"task": ADD, "args": [1, 2, 3]}, "arguments"),
        ({"args": "abc"}, "args"),
        ({"args": None}, "args"),
        ({"args": {"a": 1}}, "args"),
        ({"kwargs": ["a"]}, "kwargs"),
        ({"kwargs": None}, "kwargs"),
        ({"priority": 101}, "priority"),
        ({"priority": -101}, "priority"),
        ({"priority": 1.0}, "priority"),
        ({"priority": True}, "priority"),
        ({"priority": "1"}, "priority"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"max_attempts": 22}, "max_attempts"),
        ({"max_attempts": 1.5}, "max_attempts"),
        ({"max_attempts": True}, "max_attempts"),
        ({"max_attempts": "3"}, "max_attempts"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
        ({"timeout_seconds": -1}, "timeout_seconds"),
        ({"timeout_seconds": 31 * 86_400 + 1}, "timeout_seconds"),
        ({"timeout_seconds": float("nan")}, "timeout_seconds"),
        ({"timeout_seconds": float("inf")}, "timeout_seconds"),
        ({"timeout_seconds": True}, "timeout_seconds"),
        ({"timeout_seconds": "5"}, "timeout_seconds"),
        ({"run_after": datetime(2030, 1, 1)}, "run_after"),
        ({"run_after": "2030-01-01T00:00:00Z"}, "run_after"),
        ({"queue": ""}, "queue"),
        ({"queue": "q" * 101}, "queue"),
        ({"queue": "q\x00"}, "queue"),
        ({"queue": 1}, "queue"),
        ({"unique_key": ""}, "unique_key"),
        ({"unique_key": "k" * 256}, "unique_key"),
        ({"unique_key": "\ud800"}, "unique_key"),
        ({"overlap_key": ""}, "overlap_key"),
        ({"overlap_key": "k" * 101}, "overlap_key"),
        ({"idempotency_key": ""}, "idempotency_key"),
        ({"idempotency_key": "k" * 256}, "idempotency_key"),
        ({"idempotency_key": "k\x00"}, "idempotency_key"),
    ],
)
def test_input_out_of_bounds_is_refused_by_name(options: dict[str, Any], field: str) -> None:
    error = refused(InvalidArguments, **options)
    assert error.field == field
    assert field in error.message or field in ("a", "c", "arguments")
    assert error.http_status == 400


@pytest.mark.parametrize(
    "options",
    [
        {"priority": 100},
        {"priority": -100},
        {"max_attempts": 1},
        {"max_attempts": 21},
        {"timeout_seconds": 0.001},
        {"timeout_seconds": 31 * 86_400},
        {"queue": "q" * 100},
        {"unique_key": "k" * 255},
        {"overlap_key": "k" * 100},
        {"idempotency_key": "k" * 255},
    ],
)
def test_the_ends_of_the_bounds_are_allowed(options: dict[str, Any]) -> None:
    job = enqueued(**options)
    assert {name: getattr(job, name) for name in options} == options


def test_a_time_that_has_passed_is_now() -> None:
    job = enqueued(run_after=datetime(2020, 1, 1, tzinfo=UTC))
    assert (job.status, job.run_after) == ("PENDING", None)


@pytest.mark.parametrize("path", ["", "nowhere.noop", "os.system", "tests.sample_app.tasks.Flaw"])
def test_an_unknown_task_is_refused(path: str) -> None:
    assert refused(TaskNotFound, task=path).field == "task"


def test_a_tasks_guard_sees_the_arguments_and_the_actor_and_may_refuse(admin_actor: Actor) -> None:
    seen: list[tuple[Mapping[str, Any], Actor]] = []

    def guard(arguments: Mapping[str, Any], actor: Actor) -> None:
        seen.append((arguments, actor))
        if arguments["a"] < 0:
            raise InvalidArguments("a must not be negative.", field="a")

    guarded = tasks.add.using(guard=guard)  # type: ignore[call-arg]
    enqueued(task=guarded, args=[1], kwargs={"b": 2}, actor=admin_actor)
    assert seen == [({"a": 1, "b": 2}, admin_actor)]
    Job.objects.all().delete()
    assert refused(InvalidArguments, task=guarded, args=[-1]).field == "a"


def test_a_user_enqueues_own_jobs_only(user: User, other_user: User, user_actor: Actor) -> None:
    for owner_id in (None, other_user.pk):
        refused(PermissionDenied, actor=user_actor, owner_id=owner_id)
    assert enqueued(actor=user_actor, owner_id=user.pk).owner_id == user.pk


@pytest.mark.parametrize("role", ["operator_actor", "admin_actor"])
def test_operators_and_admins_enqueue_for_everybody(
    role: str, user: User, request: pytest.FixtureRequest
) -> None:
    actor = request.getfixturevalue(role)
    assert enqueued(actor=actor, owner_id=user.pk).owner_id == user.pk
    assert enqueued(actor=actor).owner_id is None


def test_without_a_role_nothing_is_enqueued(nobody: User, nobody_actor: Actor) -> None:
    refused(PermissionDenied, actor=nobody_actor, owner_id=nobody.pk)
    refused(PermissionDenied, actor=Actor(id=None, label="anonymous"))


def test_the_record_of_a_new_job_names_its_task() -> None:
    (event,) = events(enqueued().id)
    assert event.target_label == NOOP
