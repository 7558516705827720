"""Keys: at most one unfinished job, or one job per owner for ever, whoever asks how often."""

from functools import partial
from typing import Any

import pytest

from accounts.models import User
from controlplane.actors import SYSTEM
from jobs import queue
from jobs.actions import enqueue
from jobs.actions.cancel import cancel_job
from jobs.actions.enqueue import Enqueued, JobRequest, enqueue_job, enqueue_many
from jobs.errors import IdempotencyConflict, InvalidArguments, KeyTaken
from jobs.lifecycle import UNFINISHED, Status
from jobs.models import Job
from jobs.queue import NewJob
from tests.concurrency import together
from tests.factories import make_job
from tests.sample_app import tasks

pytestmark = pytest.mark.django_db

NOOP = "tests.sample_app.tasks.noop"
ECHO = "tests.sample_app.tasks.echo"
ADD: Any = tasks.add


def ask(task: Any = NOOP, **options: Any) -> Enqueued:
    return enqueue_job(task=task, actor=SYSTEM, **options)


@pytest.mark.parametrize("status", UNFINISHED)
def test_an_unfinished_job_answers_for_its_unique_key(status: str) -> None:
    held = make_job(status, unique_key="k")
    assert ask(unique_key="k") == Enqueued(held.id, created=False)
    assert Job.objects.count() == 1


@pytest.mark.parametrize("status", sorted(set(Status) - set(UNFINISHED)))
def test_an_ended_job_lets_its_unique_key_go(status: str) -> None:
    held = make_job(status, unique_key="k")
    found = ask(unique_key="k")
    assert found.created
    assert found.job_id != held.id


def test_a_tasks_template_makes_the_key_from_the_arguments() -> None:
    task = ADD.using(unique_key="sum:{a}:{b}")
    first = ask(task, args=[1], kwargs={"b": 2})
    assert Job.objects.get().unique_key == "tests.sample_app.tasks.add:sum:1:2"
    assert ask(task, args=[1, 2]) == Enqueued(first.job_id, created=False)
    assert ask(task, args=[1, 3]).created
    assert ask(NOOP, unique_key="sum:1:2").created, "another task has keys of its own"


def test_a_template_may_use_an_argument_that_has_a_default() -> None:
    ask(ADD.using(unique_key="{a}:{b}"), args=[1])
    assert Job.objects.get().unique_key == "tests.sample_app.tasks.add:1:0"


def test_a_key_that_is_given_beats_the_template() -> None:
    ask(ADD.using(unique_key="{a}"), args=[1], unique_key="mine")
    assert Job.objects.get().unique_key == "mine"


@pytest.mark.parametrize("template", ["{c}", "{0}", "{}", "{a.real.x}", "{a[0]}", "{a:%%%}"])
def test_a_template_that_cannot_be_filled_in_is_told(template: str) -> None:
    with pytest.raises(InvalidArguments, match="cannot be filled in") as caught:
        ask(ADD.using(unique_key=template), args=[1])
    assert caught.value.field == "unique_key"
    assert not Job.objects.exists()


@pytest.mark.parametrize("status", UNFINISHED)
def test_an_overlap_key_that_is_held_refuses(status: str) -> None:
    held = make_job(status, overlap_key="schedule:1")
    with pytest.raises(KeyTaken, match=f"Job {held.id} is still {status}"):
        ask(overlap_key="schedule:1")
    assert Job.objects.count() == 1


@pytest.mark.parametrize("status", Status)
def test_an_idempotency_key_answers_for_ever(status: str) -> None:
    held = make_job(status, idempotency_key="k")
    assert ask(idempotency_key="k") == Enqueued(held.id, created=False)


def test_an_idempotency_key_with_other_content_is_a_conflict() -> None:
    held = ask(ADD, args=[1], kwargs={"b": 2}, idempotency_key="k")
    for task, args, kwargs in (
        (ECHO, [1], {}),
        (ADD, [2], {"b": 2}),
        (ADD, [1], {"b": 3}),
        (ADD, [1, 2], {}),
        (ADD, [1], {}),
    ):
        with pytest.raises(IdempotencyConflict, match=f"job {held.job_id}") as caught:
            ask(task, args=args, kwargs=kwargs, idempotency_key="k")
        assert caught.value.field == "idempotency_key"
    assert ask(ADD, args=[1], kwargs={"b": 2}, idempotency_key="k").job_id == held.job_id
    assert Job.objects.count() == 1


@pytest.mark.parametrize(
    "value",
    [{"zeta": 1, "a": {"y": 1, "x": 2}}, 1e23, 1e-7, 1.0, -0.0, "ä\U0001f600", (1, 2), 2**200],
)
def test_the_same_content_is_recognised_however_it_is_stored(value: Any) -> None:
    first = ask(ECHO, args=[value], idempotency_key="args")
    assert ask(ECHO, args=[value], idempotency_key="args").job_id == first.job_id
    second = ask(ECHO, kwargs={"value": value}, idempotency_key="kwargs")
    assert ask(ECHO, kwargs={"value": value}, idempotency_key="kwargs").job_id == second.job_id


def test_an_idempotency_key_belongs_to_its_owner(user: User, other_user: User) -> None:
    jobs = {ask(idempotency_key="k", owner_id=id_).job_id for id_ in (user.pk, other_user.pk, None)}
    assert len(jobs) == 3
    assert ask(idempotency_key="k", owner_id=user.pk).job_id in jobs


def test_an_idempotency_key_counts_before_the_others() -> None:
    ended = make_job(Status.SUCCEEDED, idempotency_key="i")
    make_job(unique_key="u", overlap_key="o")
    found = ask(idempotency_key="i", unique_key="u", overlap_key="o")
    assert found == Enqueued(ended.id, created=False)


def test_a_holder_that_ends_at_this_moment_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    held = make_job(unique_key="k")
    look = enqueue._holder

    def end_before_the_look(row: NewJob) -> Job | None:
        cancel_job(job_id=held.id, actor=SYSTEM)
        monkeypatch.setattr(enqueue, "_holder", look)
        return look(row)

    monkeypatch.setattr(enqueue, "_holder", end_before_the_look)
    (found,) = enqueue_many([JobRequest(task=NOOP, unique_key="k")], actor=SYSTEM)
    assert found is not None
    assert found.created


def test_a_key_without_a_holder_is_given_up_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "insert", lambda rows: [None] * len(rows))
    with pytest.raises(KeyTaken):
        ask(unique_key="k")


@pytest.mark.django_db(transaction=True)
def test_bulk_inserts_of_the_same_keys_in_opposite_orders_never_deadlock() -> None:
    requests = [JobRequest(task=NOOP, unique_key=f"k{number}") for number in range(300)]
    for _ in range(5):
        results = together(
            partial(enqueue_many, requests, actor=SYSTEM),
            partial(enqueue_many, requests[::-1], actor=SYSTEM),
        )
        for result in results:
            assert isinstance(result, list), result
            assert None not in result
        assert Job.objects.count() == 300
        Job.objects.all().delete()
