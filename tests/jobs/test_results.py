"""A job as Django's interface sees it."""

import pytest
from django.tasks import TaskResultStatus

from jobs.errors import TaskNotFound
from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution
from jobs.results import DJANGO_STATUS, result_of
from jobs.settlement import Fate
from tests.factories import claim, fail, make_job, make_odd_execution, make_worker, succeed
from tests.jobs.reading import fresh
from tests.sample_app import tasks

pytestmark = pytest.mark.django_db

EXPECTED = {
    "PENDING": "READY",
    "SCHEDULED": "READY",
    "BLOCKED": "READY",
    "FAILED": "READY",
    "RUNNING": "RUNNING",
    "SUCCEEDED": "SUCCESSFUL",
    "CANCELLED": "FAILED",
    "DEAD_LETTER": "FAILED",
    "NEEDS_VERIFICATION": "FAILED",
}


def test_every_state_has_its_counterpart() -> None:
    assert {str(ours): str(theirs) for ours, theirs in DJANGO_STATUS.items()} == EXPECTED


@pytest.mark.parametrize("status", Status)
def test_a_job_in_each_state_can_be_looked_up(status: Status) -> None:
    job = make_job(status)
    result = result_of(job.id, backend="default")
    assert result is not None
    assert (result.id, result.backend, result.task) == (str(job.id), "default", tasks.noop)
    assert result.status == EXPECTED[status]
    assert result.is_finished is (EXPECTED[status] in ("SUCCESSFUL", "FAILED"))
    assert (result.enqueued_at, result.finished_at) == (job.created_at, job.finished_at)


def test_an_unknown_job_has_no_result() -> None:
    assert result_of(1, backend="default") is None
    assert result_of(2**63, backend="default") is None


def test_a_success_has_its_value() -> None:
    job = make_job(task="tests.sample_app.tasks.add", args=[1], kwargs={"b": 2})
    worker = make_worker()
    execution = claim(job.id, worker)
    succeed(execution, 3)
    result = result_of(job.id, backend="default")
    assert result is not None
    assert result.return_value == 3
    assert (result.args, result.kwargs) == ([1], {"b": 2})
    assert result.worker_ids == [str(worker.id)]
    assert result.attempts == 1
    assert result.started_at == result.last_attempted_at == fresh(execution).started_at
    assert result.errors == []


def test_a_success_on_a_later_attempt_tells_of_the_earlier_ones() -> None:
    job = make_job(Status.FAILED)
    first = JobExecution.objects.get(job=job)
    JobExecution.objects.update(traceback="Traceback ...")
    Job.objects.update(status=Status.PENDING, run_after=None)
    second = claim(job.id, make_worker())
    succeed(second, "done")
    result = result_of(job.id, backend="default")
    assert result is not None
    assert result.return_value == "done"
    assert result.attempts == 2
    assert result.worker_ids == [str(first.worker_id), str(second.worker_id)]
    assert result.started_at == fresh(first).started_at
    assert result.last_attempted_at == fresh(second).started_at
    (error,) = result.errors
    assert error.exception_class is tasks.Flaw
    assert error.traceback == "Traceback ..."


def test_a_failed_job_raises_for_its_value() -> None:
    result = result_of(make_job(Status.DEAD_LETTER).id, backend="default")
    assert result is not None
    assert result.status == TaskResultStatus.FAILED
    with pytest.raises(ValueError, match="Task failed"):
        _ = result.return_value


def test_a_job_that_has_not_ended_raises_for_its_value() -> None:
    result = result_of(make_job(Status.FAILED).id, backend="default")
    assert result is not None
    with pytest.raises(ValueError, match="not finished"):
        _ = result.return_value


def test_only_failures_and_time_outs_are_errors() -> None:
    job = make_job()
    for number, outcome in enumerate(sorted(set(Outcome) - {Outcome.RUNNING}), start=1):
        make_odd_execution(job, number=number, status=outcome, traceback=outcome)
    result = result_of(job.id, backend="default")
    assert result is not None
    assert sorted(error.traceback for error in result.errors) == ["FAILED", "TIMED_OUT"]
    assert all(error.exception_class is Exception for error in result.errors)


def test_an_attempt_that_never_began_is_none() -> None:
    job = make_job()
    make_odd_execution(job, number=1, status=Outcome.INTERRUPTED)
    result = result_of(job.id, backend="default")
    assert result is not None
    assert (result.attempts, result.started_at, result.last_attempted_at) == (0, None, None)


def test_a_job_that_a_person_confirmed_has_succeeded_without_a_value() -> None:
    job = make_job()
    fail(claim(job.id, make_worker()), outcome=Outcome.INTERRUPTED, fate=Fate.VERIFY)
    Job.objects.update(status=Status.SUCCEEDED, finished_at=job.created_at)
    result = result_of(job.id, backend="default")
    assert result is not None
    assert result.return_value is None


def test_a_cancelled_job_shows_no_value_although_its_attempt_had_one() -> None:
    job = make_job()
    execution = claim(job.id, make_worker())
    Job.objects.update(cancel_requested_at=job.created_at)
    succeed(execution, "done")
    result = result_of(job.id, backend="default")
    assert result is not None
    with pytest.raises(ValueError, match="failed"):
        _ = result.return_value


def test_a_job_whose_task_is_gone_says_which() -> None:
    job = make_job(task="gone.tasks.missing")
    with pytest.raises(TaskNotFound, match=r"gone\.tasks\.missing"):
        result_of(job.id, backend="default")
