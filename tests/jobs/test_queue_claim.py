"""Who gets which job: strict order, lanes, and never two claimers for one."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane import conf
from jobs import queue
from jobs.lifecycle import Status
from jobs.models import Job, JobExecution, Queue
from tests.concurrency import locked_elsewhere
from tests.factories import make_job, make_jobs
from tests.jobs.reading import claim, seconds_from_now, states, trail

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)
NOW = timezone.now()


def ids(claimed: list[queue.Claimed]) -> list[int]:
    return [one.job_id for one in claimed]


def test_a_claim_makes_the_job_run_with_a_leased_execution() -> None:
    job = make_job(
        task="tests.sample_app.tasks.add", args=[1], kwargs={"b": 2}, timeout_seconds=5.0
    )
    (claimed,) = claim(7)
    assert states(job.id) == ("RUNNING", ["RUNNING"])
    execution = JobExecution.objects.get(pk=claimed.execution_id)
    assert (execution.job_id, execution.worker_id, execution.number) == (job.id, 7, 1)
    assert (execution.started_at, execution.charged) == (None, False)
    lease = seconds_from_now(execution.lease_expires_at)
    assert lease == pytest.approx(conf.options().lease_seconds, abs=5)
    assert (claimed.job_id, claimed.number, claimed.task) == (job.id, 1, job.task)
    assert (json.loads(claimed.args), json.loads(claimed.kwargs)) == ([1], {"b": 2})
    assert (claimed.queue, claimed.priority, claimed.timeout_seconds) == ("default", 0, 5.0)
    assert (claimed.max_attempts, claimed.attempts_charged, claimed.suspect) == (4, 0, False)


def test_a_claim_records_nothing_until_the_attempt_begins() -> None:
    job = make_job()
    claim()
    assert trail(job.id) == ["JOB_CREATED"]


def test_the_claim_tells_what_earlier_attempts_cost() -> None:
    make_job(attempts_charged=2, executions_made=5, suspect=True, max_attempts=9)
    (claimed,) = claim()
    assert (claimed.attempts_charged, claimed.max_attempts, claimed.suspect) == (2, 9, True)


@pytest.mark.parametrize("status", sorted(set(Status) - {Status.PENDING}))
def test_only_pending_jobs_are_claimed(status: str) -> None:
    job = make_job(status)
    before = states(job.id)
    assert claim() == []
    assert states(job.id) == before


def test_the_order_is_priority_then_age_then_id() -> None:
    low = make_job(priority=-100, queued_at=NOW - 9 * SECOND)
    first, second = make_jobs(2)
    Job.objects.update(queued_at=NOW - 5 * SECOND)
    young = make_job(queued_at=NOW)
    urgent = make_job(priority=100, queued_at=NOW)
    assert ids(claim(limit=1)) == [urgent.id]
    assert ids(claim(limit=2)) == [first, second]
    assert ids(claim(limit=2)) == [young.id, low.id]


def test_a_claim_comes_back_in_the_order_of_the_queue() -> None:
    jobs = [make_job(priority=n % 3, queued_at=NOW - n * SECOND) for n in range(9)]
    expected = sorted(jobs, key=lambda job: (-job.priority, job.queued_at, job.id))
    claimed = claim()
    assert ids(claimed) == [job.id for job in expected]
    assert [one.rank for one in claimed] == sorted(one.rank for one in claimed)


def test_no_more_than_the_limit_are_claimed() -> None:
    make_jobs(5)
    assert len(claim(limit=3)) == 3
    assert Job.objects.filter(status=Status.PENDING).count() == 2


def test_several_queues_are_one_line() -> None:
    """Together the first ones of all, whatever queue each is in."""
    lanes = ["a", "b", "c"]
    jobs = [
        make_job(queue=lanes[n % 3], priority=n % 2, queued_at=NOW - (n * 7 % 11) * SECOND)
        for n in range(12)
    ]
    expected = [
        job.id for job in sorted(jobs, key=lambda job: (-job.priority, job.queued_at, job.id))
    ]
    taken = []
    while got := ids(claim(queues=lanes, limit=5)):
        taken.append(got)
    assert [id_ for batch in taken for id_ in batch] == expected
    assert [len(batch) for batch in taken] == [5, 5, 2]


def test_of_equals_in_several_queues_the_lower_id_comes_first() -> None:
    jobs = [make_job(queue=lane, queued_at=NOW) for lane in ("b", "a", "b", "a")]
    assert ids(claim(queues=["a", "b"], limit=3)) == [job.id for job in jobs[:3]]


def test_other_queues_are_left_alone() -> None:
    job = make_job(queue="other")
    assert claim() == []
    assert claim(queues=["a", "b"]) == []
    assert claim(queues=[]) == []
    assert ids(claim(queues=["other"])) == [job.id]


@pytest.mark.parametrize("lanes", [["default"], ["default", "other"]])
def test_the_lane_of_child_processes_is_apart(lanes: list[str]) -> None:
    plain, isolated = make_job(), make_job(isolated=True)
    assert ids(claim(queues=lanes, isolated=True)) == [isolated.id]
    assert ids(claim(queues=lanes)) == [plain.id]


@pytest.mark.parametrize("lanes", [["default"], ["default", "other"]])
def test_excluded_tasks_are_left_to_others(lanes: list[str]) -> None:
    make_job(priority=9, task="app.tasks.unknown")
    job = make_job()
    assert ids(claim(queues=lanes, limit=1, exclude=["app.tasks.unknown"])) == [job.id]
    assert claim(queues=lanes, exclude=["app.tasks.unknown"]) == []


@pytest.mark.parametrize("lanes", [["default"], ["default", "other"]])
def test_only_more_urgent_jobs_when_asked_for(lanes: list[str]) -> None:
    make_job(priority=0)
    urgent = make_job(priority=1)
    assert ids(claim(queues=lanes, above_priority=0)) == [urgent.id]
    assert claim(queues=lanes, above_priority=0) == []


def test_executions_are_numbered_without_gaps() -> None:
    job = make_job()
    for number in (1, 2, 3):
        (claimed,) = claim()
        assert claimed.number == number
        JobExecution.objects.update(status="INTERRUPTED", finished_at=NOW)
        Job.objects.filter(pk=job.id).update(status=Status.PENDING)
    numbers = JobExecution.objects.filter(job=job).order_by("id").values_list("number", flat=True)
    assert list(numbers) == [1, 2, 3]
    assert Job.objects.get(pk=job.id).executions_made == 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("lanes", [["default"], ["default", "other"]])
def test_jobs_that_another_transaction_holds_are_skipped_not_waited_for(lanes: list[str]) -> None:
    first, second, third = make_jobs(3)
    with locked_elsewhere(Job._meta.db_table, first, third):
        assert ids(claim(queues=lanes, limit=3)) == [second]
    assert ids(claim(queues=lanes, limit=3)) == [first, third]


def test_queues_with_work_are_those_with_pending_jobs() -> None:
    for status in set(Status) - {Status.PENDING}:
        Job.objects.filter(pk=make_job(status).id).update(queue=f"of-{status}")
    for name in ("b", "a", "b"):
        make_job(queue=name)
    assert queue.pending_queues() == ["a", "b"]


def test_a_paused_queue_has_no_work_for_now() -> None:
    for name in ("a", "b", "c"):
        make_job(queue=name)
    Queue.objects.create(name="b", paused_at=NOW)
    Queue.objects.create(name="c", paused_at=NOW - SECOND, paused_until=NOW - SECOND)
    assert queue.pending_queues() == ["a", "c"]


def test_without_work_no_queue_has_any() -> None:
    assert queue.pending_queues() == []


def test_a_claim_may_begin_behind_the_last_one() -> None:
    first, second, third = make_jobs(3)
    (claimed,) = claim(limit=1)
    assert claimed.job_id == first
    older = make_job()
    Job.objects.filter(id=older.id).update(queued_at=claimed.queued_at - SECOND)
    above = make_job(priority=1)
    below = make_job(priority=-1)
    assert ids(claim(after=claimed.place)) == [second, third]
    assert ids(claim()) == [above.id, older.id, below.id], "a sweep finds what was left out"


def test_a_place_tells_jobs_of_one_moment_apart_by_id() -> None:
    jobs = make_jobs(4)
    Job.objects.update(queued_at=NOW)
    claimed, _ = claim(limit=2)
    assert claimed.place == queue.Place(0, NOW, jobs[0])
    assert ids(claim(after=queue.Place(0, NOW, jobs[2]))) == [jobs[3]]


def test_nothing_is_claimed_from_a_queue_that_was_paused_meanwhile() -> None:
    """The executor may have heard of the job before it heard of the pause."""
    job = make_job()
    row = Queue.objects.create(name="default", paused_at=NOW)
    assert claim() == []
    row.paused_until = NOW - SECOND
    row.save()
    assert ids(claim()) == [job.id], "a pause with an end is over by itself"
