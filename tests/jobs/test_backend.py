"""Django's task interface on our backend: what its own backends promise, in our words."""

import asyncio
import pickle
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.checks import run_checks
from django.db import connection, connections, transaction
from django.tasks import TaskResult, TaskResultStatus, default_task_backend, task, task_backends
from django.tasks.exceptions import InvalidTask, TaskResultDoesNotExist, TaskResultMismatch
from django.tasks.signals import task_enqueued
from django.utils import timezone
from pytest_django import Settings

from jobs.backend import ControlPlaneBackend, JobTask
from jobs.errors import InvalidArguments, InvalidJson
from jobs.models import Job
from jobs.retry import Backoff
from tests.factories import claim, make_worker, succeed
from tests.jobs.reading import trail
from tests.sample_app import tasks
from tests.third_party_app import tasks as plain

pytestmark = pytest.mark.django_db

#: The stubs know Django's part of a task only.
NOOP: Any = tasks.noop
ADD: Any = tasks.add
GREET: Any = plain.greet


@pytest.fixture
def enqueued() -> Iterator[list[TaskResult]]:
    """What was told of by Django's signal, as it is told."""
    heard: list[TaskResult] = []

    def hear(sender: object, task_result: TaskResult, **more: object) -> None:
        heard.append(task_result)

    task_enqueued.connect(hear)
    yield heard
    task_enqueued.disconnect(hear)


def job_of(result: TaskResult) -> Job:
    return Job.objects.get(pk=int(result.id))


def test_it_is_the_default_and_can_do_everything() -> None:
    backend = task_backends["default"]
    assert isinstance(backend, ControlPlaneBackend)
    assert backend.supports_defer
    assert backend.supports_async_task
    assert backend.supports_get_result
    assert backend.supports_priority
    assert list(backend.check()) == []
    assert default_task_backend.alias == "default"
    assert not [error for error in run_checks() if "task" in str(error.id)]


def test_enqueueing_makes_a_job_and_a_fresh_result() -> None:
    result = tasks.add.enqueue(1, b=2)
    assert (result.task, result.status) == (tasks.add, TaskResultStatus.READY)
    assert (result.args, result.kwargs, result.backend) == ([1], {"b": 2}, "default")
    assert (result.started_at, result.finished_at, result.last_attempted_at) == (None, None, None)
    assert (result.errors, result.worker_ids, result.attempts) == ([], [], 0)
    assert result.enqueued_at is not None
    assert not result.is_finished
    job = job_of(result)
    assert (job.task, job.args, job.kwargs) == ("tests.sample_app.tasks.add", [1], {"b": 2})
    assert (job.queue, job.priority, job.status, job.trigger) == ("default", 0, "PENDING", "code")
    assert (job.owner_id, job.max_attempts, job.timeout_seconds) == (None, 4, None)
    assert trail(job.id) == ["JOB_CREATED"]


def test_a_result_can_be_looked_up_and_refreshed() -> None:
    result = tasks.add.enqueue(1, b=2)
    execution = claim(int(result.id), make_worker())
    result.refresh()
    assert result.status == TaskResultStatus.RUNNING
    succeed(execution, 3)
    with pytest.raises(ValueError, match="not finished"):
        _ = result.return_value
    result.refresh()
    assert (result.status, result.return_value) == (TaskResultStatus.SUCCESSFUL, 3)
    found = tasks.add.get_result(result.id)
    assert (found.return_value, found.args, found.kwargs) == (3, [1], {"b": 2})
    assert default_task_backend.get_result(result.id).return_value == 3


@pytest.mark.parametrize(
    "result_id",
    [
        "",
        "0",
        "-1",
        "1.0",
        " 1",
        "1 ",
        "01",
        "abc",
        "\u0661",
        "9" * 19,
        "9" * 25,
        "9" * 5000,
        "1\x00",
    ],
)
def test_a_malformed_or_unknown_id_has_no_result(result_id: str) -> None:
    with pytest.raises(TaskResultDoesNotExist):
        default_task_backend.get_result(result_id)


@pytest.mark.parametrize("result_id", [1, None, b"1", 1.5])
def test_an_id_that_is_no_text_has_no_result(result_id: Any) -> None:
    with pytest.raises(TaskResultDoesNotExist):
        default_task_backend.get_result(result_id)


def test_a_result_of_another_task_is_a_mismatch() -> None:
    result = tasks.noop.enqueue()
    with pytest.raises(TaskResultMismatch):
        tasks.add.get_result(result.id)
    assert tasks.noop.using(priority=1).get_result(result.id).id == result.id


@pytest.mark.django_db(transaction=True)
def test_the_async_doors_do_the_same() -> None:
    async def through_the_async_doors() -> TaskResult:
        result = await tasks.add_async.aenqueue(1, b=2)
        found = await tasks.add_async.aget_result(result.id)
        assert found.id == result.id
        await result.arefresh()
        with pytest.raises(TaskResultMismatch):
            await tasks.add.aget_result(result.id)
        with pytest.raises(TaskResultDoesNotExist):
            await tasks.add.aget_result("0")
        await sync_to_async(connections.close_all)()
        return result

    result = asyncio.run(through_the_async_doors())
    assert job_of(result).task == "tests.sample_app.tasks.add_async"


def test_options_of_djangos_interface_arrive() -> None:
    due = timezone.now() + timedelta(hours=1)
    chosen = tasks.noop.using(priority=-7, queue_name="slow", run_after=due)
    job = job_of(chosen.enqueue())
    assert (job.priority, job.queue, job.run_after, job.status) == (-7, "slow", due, "SCHEDULED")
    job = job_of(tasks.urgent.enqueue("w", "l"))
    assert (job.priority, job.queue) == (50, "urgent")


def test_our_own_options_arrive() -> None:
    chosen = NOOP.using(max_attempts=7, isolation="process", timeout=3.0)
    job = job_of(chosen.enqueue())
    assert (job.max_attempts, job.isolated) == (7, True)
    assert job.timeout_seconds is None, "the task's own, looked up when it runs"
    assert chosen.timeout == 3.0


def test_using_leaves_the_original_alone() -> None:
    changed = NOOP.using(priority=9, max_attempts=2, backoff=Backoff(1, 2))
    assert (changed.priority, changed.max_attempts) == (9, 2)
    assert (NOOP.priority, NOOP.max_attempts, NOOP.backoff) == (0, None, None)
    assert changed.func is tasks.noop.func
    assert NOOP.using(priority=None, backend="default") == tasks.noop
    with pytest.raises(TypeError):
        NOOP.using(colour="red")


def test_arguments_are_stored_as_json_would_have_them() -> None:
    result = tasks.echo.enqueue((1, b"x", {"y": (2,)}))
    assert result.args == job_of(result).args == [[1, "x", {"y": [2]}]]


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "field"),
    [
        ([], {}, InvalidArguments, "a"),
        ([1], {"c": 2}, InvalidArguments, "c"),
        ([object()], {}, InvalidJson, "args[0]"),
        ([1], {"b": float("nan")}, InvalidJson, "kwargs.b"),
        (["\x00"], {}, InvalidJson, "args[0]"),
    ],
)
def test_what_the_task_cannot_take_is_refused_by_name(
    args: list[Any], kwargs: dict[str, Any], error: type[InvalidArguments], field: str
) -> None:
    with pytest.raises(error) as caught:
        tasks.add.enqueue(*args, **kwargs)
    assert caught.value.field == field
    assert not Job.objects.exists()


def test_the_signal_tells_of_each_job(enqueued: list[TaskResult]) -> None:
    result = tasks.add.enqueue(1)
    assert enqueued == [result]


def test_a_refused_one_is_not_told_of(enqueued: list[TaskResult]) -> None:
    with pytest.raises(InvalidArguments):
        ADD.enqueue()
    assert enqueued == []


def test_a_key_that_is_held_gives_the_job_that_holds_it() -> None:
    first = tasks.only_one.enqueue()
    claim(int(first.id), make_worker())
    second = tasks.only_one.enqueue()
    assert second.id == first.id
    assert second.status == TaskResultStatus.RUNNING
    assert Job.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_rollback_takes_the_job_with_it() -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        result = tasks.noop.enqueue()
        assert Job.objects.exists()
        raise ZeroDivisionError
    assert not Job.objects.exists()
    with pytest.raises(TaskResultDoesNotExist):
        tasks.noop.get_result(result.id)


@pytest.mark.django_db(transaction=True)
def test_a_rollback_to_a_savepoint_takes_only_what_came_after_it() -> None:
    with transaction.atomic():
        kept = tasks.noop.enqueue()
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            tasks.noop.enqueue()
            raise ZeroDivisionError
    assert list(Job.objects.values_list("id", flat=True)) == [int(kept.id)]


def test_enqueueing_is_one_statement_in_the_callers_transaction(
    django_assert_num_queries: Any,
) -> None:
    assert connection.in_atomic_block
    tasks.noop.enqueue()
    with django_assert_num_queries(1):
        tasks.noop.enqueue()


def test_queues_that_are_named_are_the_only_ones(settings: Settings) -> None:
    settings.TASKS = {
        "default": {"BACKEND": "jobs.backend.ControlPlaneBackend", "QUEUES": ["default", "mail"]}
    }
    assert job_of(tasks.noop.using(queue_name="mail").enqueue()).queue == "mail"
    with pytest.raises(InvalidTask, match="'slow' is not valid"):
        tasks.noop.using(queue_name="slow")


@pytest.mark.parametrize("name", ["", "q" * 101])
def test_a_queue_without_a_usable_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidTask, match="queue_name"):
        tasks.noop.using(queue_name=name)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"priority": 101}, "priority"),
        ({"priority": -101}, "priority"),
        ({"priority": 1.5}, "priority"),
        ({"run_after": datetime(2030, 1, 1)}, "aware"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"max_attempts": 22}, "max_attempts"),
        ({"max_attempts": 2.5}, "max_attempts"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": -1.0}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"timeout": float("inf")}, "timeout"),
        ({"isolation": "fork"}, "isolation"),
        ({"backoff": -1.0}, "backoff"),
        ({"backoff": float("inf")}, "backoff"),
        ({"retry_delays": {ValueError: -1.0}}, "retry_delays"),
        ({"retry_delays": {ValueError: float("nan")}}, "retry_delays"),
        ({"unique_key": "{"}, "unique_key"),
    ],
)
def test_options_out_of_bounds_are_refused_by_name(options: dict[str, Any], what: str) -> None:
    with pytest.raises(InvalidTask, match=what):
        tasks.noop.using(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"priority": 100},
        {"priority": -100},
        {"max_attempts": 1},
        {"max_attempts": 21},
        {"timeout": 0.001},
        {"isolation": "process"},
        {"backoff": 0},
        {"backoff": Backoff(0, 0)},
        {"retry_delays": {ValueError: 0.0}},
        {"unique_key": "{a}:{b}"},
    ],
)
def test_the_ends_of_the_bounds_are_allowed(options: dict[str, Any]) -> None:
    changed = tasks.noop.using(**options)
    assert {name: getattr(changed, name) for name in options} == options


def test_only_functions_of_a_module_are_tasks() -> None:
    with pytest.raises(InvalidTask, match="module level"):
        task(lambda: None)
    with pytest.raises(InvalidTask, match="context"):
        NOOP.using(takes_context=True)


def test_tasks_and_results_survive_pickling() -> None:
    chosen = ADD.using(priority=3, max_attempts=2)
    copy = pickle.loads(pickle.dumps(chosen))
    assert copy == chosen
    assert isinstance(copy, JobTask)
    result = chosen.enqueue(1)
    copied = pickle.loads(pickle.dumps(result))
    assert (copied.id, copied.args, copied.task) == (result.id, [1], chosen)


def test_a_task_is_still_a_function() -> None:
    assert tasks.add.call(1, b=2) == 3
    assert tasks.add_async.call(1, b=2) == 3
    assert asyncio.run(tasks.add.acall(1)) == 1
    assert asyncio.run(tasks.add_async.acall(1)) == 1


def test_tasks_of_an_app_that_never_heard_of_us_work_unchanged() -> None:
    job = job_of(plain.send_newsletter.enqueue(["a@example.com"]))
    assert (job.task, job.queue, job.priority) == (
        "tests.third_party_app.tasks.send_newsletter",
        "mail",
        10,
    )
    assert job_of(plain.greet.enqueue("Ada", punctuation="?")).kwargs == {"punctuation": "?"}
    assert job_of(plain.which_attempt.enqueue(2)).args == [2]
    assert job_of(plain.fetch.enqueue(pages=3)).kwargs == {"pages": 3}
    assert job_of(plain.divide.enqueue(1.5, 0)).args == [1.5, 0]
    with pytest.raises(InvalidArguments, match="name"):
        GREET.enqueue()
