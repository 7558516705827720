"""Other ends than success, in batches: fenced, in order, and heard of by executors."""

from datetime import timedelta

import pytest
from django.utils import timezone

from jobs import queue
from jobs.lifecycle import Outcome
from jobs.models import Job, JobExecution
from jobs.queue import settle_all
from jobs.settlement import Ending, Fate
from jobs.sql import JOBS_CHANNEL
from tests.concurrency import listening
from tests.factories import make_job, make_jobs
from tests.jobs.reading import claim, events, failure, states, success, trail

pytestmark = pytest.mark.django_db


def test_each_job_of_a_batch_gets_its_own_end() -> None:
    make_jobs(3)
    first, second, third = claim(1)
    handed_back = Ending(outcome=Outcome.INTERRUPTED, fate=Fate.HAND_BACK, charged=False)
    late = queue.report_ended(
        1,
        {
            third.execution_id: failure(error_code="THIRD"),
            first.execution_id: handed_back,
            second.execution_id: failure(fate=Fate.GIVE_UP, reason="SECOND"),
        },
    )
    assert late == []
    assert states(first.job_id) == ("PENDING", ["INTERRUPTED"])
    assert states(second.job_id) == ("DEAD_LETTER", ["FAILED"])
    assert states(third.job_id) == ("FAILED", ["FAILED"])
    assert JobExecution.objects.get(pk=third.execution_id).error_code == "THIRD"
    assert Job.objects.get(pk=second.job_id).reason == "SECOND"


@pytest.mark.parametrize("fate", Fate)
def test_another_workers_execution_is_not_touched(fate: Fate) -> None:
    job = make_job()
    (claimed,) = claim(1)
    late = queue.report_ended(2, {claimed.execution_id: failure(fate=fate)})
    assert late == [claimed.execution_id]
    assert states(job.id) == ("RUNNING", ["RUNNING"])
    assert trail(job.id) == ["JOB_CREATED", "JOB_LATE_RESULT"]
    assert events(job.id)[-1].metadata == {"attempt": 1, "outcome": "FAILED"}


@pytest.mark.parametrize("outcome", sorted(set(Outcome) - {Outcome.RUNNING}))
def test_what_has_ended_keeps_its_end(outcome: str) -> None:
    job = make_job()
    (claimed,) = claim(1)
    JobExecution.objects.update(status=outcome, finished_at=timezone.now(), error_code="FIRST")
    ending = failure(outcome=Outcome.TIMED_OUT, error_code="SECOND")
    assert queue.report_ended(2, {claimed.execution_id: ending}) == [claimed.execution_id]
    assert states(job.id) == ("RUNNING", [outcome])
    assert JobExecution.objects.get().error_code == "FIRST"


def test_the_same_report_again_is_no_late_result() -> None:
    """The answer to the first one was lost on its way; the lease was not."""
    job = make_job()
    (claimed,) = claim(1)
    for _ in range(2):
        assert queue.report_ended(1, {claimed.execution_id: failure()}) == []
    assert trail(job.id) == ["JOB_CREATED", "JOB_FAILED"]
    assert Job.objects.get().attempts_charged == 1
    assert queue.report_succeeded(1, [success(claimed)]) == [claimed.execution_id]
    assert queue.report_ended(2, {claimed.execution_id: failure()}) == [claimed.execution_id]
    assert trail(job.id)[2:] == ["JOB_LATE_RESULT", "JOB_LATE_RESULT"]


def test_the_late_ones_of_a_batch_do_not_stop_the_others() -> None:
    make_jobs(3)
    claimed = claim(1)
    JobExecution.objects.filter(pk=claimed[0].execution_id).update(worker_id=2)
    late = queue.report_ended(1, {one.execution_id: failure() for one in claimed})
    assert late == [claimed[0].execution_id]
    assert [states(one.job_id)[0] for one in claimed] == ["RUNNING", "FAILED", "FAILED"]


def test_an_attempt_after_a_failure_has_the_next_number() -> None:
    job = make_job()
    (claimed,) = claim(1)
    queue.report_ended(1, {claimed.execution_id: failure()})
    Job.objects.update(status="PENDING", run_after=None)
    (again,) = claim(1)
    queue.report_ended(1, {again.execution_id: failure()})
    attempts = [event.metadata["attempt"] for event in events(job.id)[1:]]
    assert attempts == [1, 2]
    assert Job.objects.get().attempts_charged == 2


@pytest.mark.django_db(transaction=True)
def test_executors_hear_of_the_queues_whose_jobs_have_ended() -> None:
    """A job handed back can be claimed by others at once."""
    ids = [make_job(queue=name).id for name in ("a", "b", "a")]
    claimed = claim(1, queues=["a", "b"])
    assert {one.job_id for one in claimed} == set(ids)
    handed_back = Ending(outcome=Outcome.INTERRUPTED, fate=Fate.HAND_BACK, charged=False)
    with listening(JOBS_CHANNEL) as ear:
        queue.report_ended(1, {one.execution_id: handed_back for one in claimed})
        assert sorted(ear.heard()) == ["a", "b"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("ends_well", [True, False])
def test_executors_hear_of_the_queue_of_a_job_that_may_go_on_now(ends_well: bool) -> None:
    make_job(queue="a", overlap_key="k")
    waiting = make_job(queue="b", waits_for_key="k")
    (held,) = claim(1, queues=["a", "b"])
    with listening(JOBS_CHANNEL) as ear:
        if ends_well:
            queue.report_succeeded(1, [success(held)])
        else:
            queue.report_ended(1, {held.execution_id: failure(fate=Fate.GIVE_UP)})
        assert "b" in ear.heard()
    assert states(waiting.id)[0] == "PENDING"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("ends_well", [True, False])
def test_an_end_and_what_goes_on_after_it_commit_together(
    ends_well: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = make_job(overlap_key="k")
    waiting = make_job(waits_for_key="k")
    (held,) = claim(1)

    def fail(_keys: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(queue, "release", fail)
    with pytest.raises(ZeroDivisionError):
        if ends_well:
            queue.report_succeeded(1, [success(held)])
        else:
            queue.report_ended(1, {held.execution_id: failure(fate=Fate.GIVE_UP)})
    assert states(job.id) == ("RUNNING", ["RUNNING"])
    assert states(waiting.id)[0] == "BLOCKED"


@pytest.mark.django_db(transaction=True)
def test_a_notification_carries_each_name_once_and_nothing_when_there_is_none() -> None:
    with listening(JOBS_CHANNEL) as ear:
        queue.notify(["b", "a", "b"])
        queue.notify([])
        assert ear.heard() == ["a", "b"]


@pytest.mark.django_db(transaction=True)
def test_a_cancel_is_told_by_the_jobs_id() -> None:
    with listening(queue.CANCEL_CHANNEL) as ear:
        queue.notify_cancel(42)
        assert ear.heard() == ["42"]


def test_settling_nothing_does_nothing() -> None:
    settle_all([], {})


def test_cancels_are_asked_for_by_worker() -> None:
    wanted, unwanted, foreign, ended = make_jobs(4)
    claimed = {one.job_id: one.execution_id for one in claim(1)}
    JobExecution.objects.filter(job_id=foreign).update(worker_id=2)
    queue.report_ended(1, {claimed[ended]: failure()})
    Job.objects.exclude(pk=unwanted).update(cancel_requested_at=timezone.now())
    assert queue.cancel_requested(1) == [claimed[wanted]]
    assert queue.cancel_requested(2) == [claimed[foreign]]
    assert queue.cancel_requested(3) == []


def test_the_next_due_time_counts_all_that_wait_for_one() -> None:
    assert queue.seconds_to_next_due() is None
    make_job()
    make_job("RUNNING")
    assert queue.seconds_to_next_due() is None
    now = timezone.now()
    make_job("SCHEDULED", run_after=now + timedelta(seconds=500))
    assert queue.seconds_to_next_due() == pytest.approx(500, abs=5)
    make_job("FAILED", run_after=now + timedelta(seconds=100))
    assert queue.seconds_to_next_due() == pytest.approx(100, abs=5)
    make_job("FAILED", run_after=now - timedelta(seconds=100))
    assert queue.seconds_to_next_due() == 0.0


def test_the_databases_clock_goes_on_within_a_transaction() -> None:
    first, second = queue.database_time(), queue.database_time()
    assert first < second
    assert first == pytest.approx(timezone.now().timestamp(), abs=60)
