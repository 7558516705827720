"""Why a job is not running: each reason by itself, and none exactly when the claim takes it."""

import random
from datetime import timedelta

import pytest
from django.utils import timezone

from jobs.actions.queues import pause_queue
from jobs.blockers import AHEAD_LIMIT, Blocker, blockers_of
from jobs.models import Job, Queue, Worker
from tests.concurrency import locked_elsewhere
from tests.factories import make_job, make_jobs, make_worker
from tests.jobs.reading import claim

pytestmark = pytest.mark.django_db

NOOP = "tests.sample_app.tasks.noop"


@pytest.fixture
def executor() -> Worker:
    return make_worker(tasks=[NOOP])


def codes(job: Job) -> list[str]:
    job.refresh_from_db()
    return [blocker.code for blocker in blockers_of(job)]


def only(job: Job) -> Blocker:
    job.refresh_from_db()
    (blocker,) = blockers_of(job)
    return blocker


def test_nothing_is_in_the_way_of_the_next_one(executor: Worker) -> None:
    assert codes(make_job(task=NOOP)) == []


def test_a_time_that_has_not_come_is_named(executor: Worker) -> None:
    due = timezone.now() + timedelta(hours=1)
    job = make_job("SCHEDULED", task=NOOP, run_after=due)
    assert (only(job).code, only(job).until) == ("not_due", due)


def test_a_failed_job_tells_of_its_last_error_and_next_attempt(executor: Worker) -> None:
    blocker = only(make_job("FAILED", task=NOOP))
    assert blocker.code == "backing_off"
    assert "Attempt 1 of 4 failed with Flaw" in blocker.sentence
    assert blocker.until is not None


def test_a_paused_queue_is_named_with_who_why_and_until_when(executor: Worker, system) -> None:  # type: ignore[no-untyped-def]
    until = timezone.now() + timedelta(hours=1)
    pause_queue(name="default", actor=system, reason="upgrade", until=until)
    blocker = only(make_job(task=NOOP))
    assert (blocker.code, blocker.queue, blocker.until) == ("queue_paused", "default", until)
    assert "by system: upgrade" in blocker.sentence


def test_without_any_executor_it_says_since_when() -> None:
    job = make_job(task=NOOP)
    assert only(job).code == "no_executor"
    gone = make_worker(tasks=[NOOP])
    Worker.objects.update(stopped_at=timezone.now())
    assert only(job).since == Worker.objects.get(pk=gone.pk).reported_at


@pytest.mark.parametrize(
    ("workers", "code"),
    [
        ([{"queues": ["other"], "tasks": [NOOP]}], "queue_not_served"),
        ([{"tasks": ["another.task"]}], "task_unknown"),
        (
            [{"queues": ["other"], "tasks": [NOOP]}, {"tasks": ["another.task"]}],
            "no_executor_for_both",
        ),
    ],
)
def test_executors_that_cannot_take_it_are_told_apart(
    workers: list[dict[str, list[str]]], code: str
) -> None:
    job = make_job(task=NOOP)
    for columns in workers:
        make_worker(**columns)
    assert codes(job) == [code]


def test_jobs_in_front_are_counted_and_the_first_is_named(executor: Worker) -> None:
    first, _ = make_jobs(2, task=NOOP)
    above = make_job(task=NOOP, priority=1)
    job = make_job(task=NOOP)
    assert (only(job).code, only(job).job_id) == ("behind_others", above.id)
    assert only(job).sentence.startswith("3 jobs stand before it")
    assert only(Job.objects.get(id=first)).job_id == above.id


def test_a_long_line_is_counted_up_to_a_limit(executor: Worker) -> None:
    make_jobs(AHEAD_LIMIT + 5, task=NOOP)
    assert only(make_job(task=NOOP)).sentence.startswith(f"at least {AHEAD_LIMIT} jobs")


@pytest.mark.django_db(transaction=True)
def test_a_row_that_somebody_holds_is_said_to_be_locked(executor: Worker) -> None:
    job = make_job(task=NOOP)
    with locked_elsewhere("jobs_job", job.pk):
        assert codes(job) == ["locked"]
    assert codes(job) == []


@pytest.mark.parametrize("status", ["RUNNING", "SUCCEEDED", "CANCELLED", "DEAD_LETTER"])
def test_what_runs_or_has_ended_has_nothing_in_its_way(status: str) -> None:
    assert codes(make_job(status, task=NOOP)) == []


@pytest.mark.parametrize("seed", range(12))
def test_no_blocker_means_that_the_next_claim_takes_it(seed: int) -> None:
    """The property that makes the answer worth asking for; both sides share their filters."""
    dice = random.Random(seed)
    served = dice.choice([[], ["a"], ["a", "b"]])
    make_worker(queues=served, tasks=[NOOP])
    if dice.random() < 0.4:
        Queue.objects.create(name=dice.choice("ab"), paused_at=timezone.now())
    for _ in range(8):
        make_job(
            task=NOOP,
            queue=dice.choice("ab"),
            priority=dice.choice([-1, 0, 0, 1]),
            isolated=dice.random() < 0.3,
        )
    clear = {job.id for job in Job.objects.all() if not blockers_of(job)}
    paused = set(Queue.objects.paused().values_list("name", flat=True))
    open_queues = [q for q in "ab" if q not in paused and (not served or q in served)]
    taken = {
        one.job_id
        for queue in open_queues
        for isolated in (False, True)
        for one in claim(queues=[queue], limit=1, isolated=isolated)
    }
    assert clear == taken
