"""What the database refuses by itself, whatever code writes; and how rows name themselves."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DataError, IntegrityError, connection, transaction
from django.db.models import Model
from django.utils import timezone

from accounts.models import User
from jobs import lifecycle
from jobs.lifecycle import Outcome, Status
from jobs.models import ExecutionLog, Job, JobExecution, Queue, Worker
from tests.factories import make_job, make_odd_execution, make_worker

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def raw_job(**columns: Any) -> Job:
    """A PENDING row by raw columns, unless told otherwise."""
    fields = {"task": "app.tasks.t", "status": Status.PENDING, "queued_at": NOW} | columns
    return Job.objects.create(**fields)


def refused(name: str, **columns: Any) -> None:
    """This very constraint refuses a job with these columns."""
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        raw_job(**columns)


def execution_refused(name: str, job: Job, **columns: Any) -> None:
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        make_odd_execution(job, **columns)


def test_the_constraints_in_the_code_are_those_of_the_migrations() -> None:
    call_command("makemigrations", "jobs", check_changes=True, dry_run=True, verbosity=0)


@pytest.mark.parametrize("status", ["", "DONE", "pending"])
def test_an_unknown_state_is_refused(status: str) -> None:
    refused("job_status_known", status=status)


@pytest.mark.parametrize("status", lifecycle.ENDED)
def test_an_ended_job_needs_its_end(status: str) -> None:
    refused("job_finished_at_matches_status", status=status, finished_at=None)


@pytest.mark.parametrize("status", sorted(set(Status) - set(lifecycle.ENDED)))
def test_a_job_that_has_not_ended_has_no_end(status: str) -> None:
    due = NOW if status in lifecycle.TIMED else None
    refused("job_finished_at_matches_status", status=status, run_after=due, finished_at=NOW)


@pytest.mark.parametrize("status", lifecycle.TIMED)
def test_a_job_that_waits_for_a_time_has_one(status: str) -> None:
    refused("job_run_after_matches_status", status=status, run_after=None)


@pytest.mark.parametrize("status", sorted(set(Status) - set(lifecycle.TIMED)))
def test_no_other_job_has_a_time_to_wait_for(status: str) -> None:
    end = NOW if status in lifecycle.ENDED else None
    refused("job_run_after_matches_status", status=status, finished_at=end, run_after=NOW)


def test_a_pending_job_knows_since_when() -> None:
    refused("job_queued_at_when_pending", queued_at=None)


@pytest.mark.parametrize("priority", [-101, 101])
def test_a_priority_out_of_range_is_refused(priority: int) -> None:
    refused("job_priority_in_range", priority=priority)


@pytest.mark.parametrize("attempts", [-1, 0, 22])
def test_a_number_of_attempts_out_of_range_is_refused(attempts: int) -> None:
    refused("job_max_attempts_in_range", max_attempts=attempts)


def test_the_ends_of_the_ranges_are_allowed() -> None:
    raw_job(priority=-100, max_attempts=1)
    raw_job(priority=100, max_attempts=21)


@pytest.mark.parametrize("column", ["unique_key", "overlap_key"])
@pytest.mark.parametrize("status", lifecycle.UNFINISHED)
def test_one_unfinished_job_holds_a_key(column: str, status: str) -> None:
    due = NOW if status in lifecycle.TIMED else None
    raw_job(status=status, run_after=due, **{column: "k"})
    name = {"unique_key": "job_unique_while_unfinished", "overlap_key": "job_overlap_while"}[column]
    refused(name, **{column: "k"})
    raw_job(**{column: "other"})
    raw_job()
    raw_job()


@pytest.mark.parametrize("column", ["unique_key", "overlap_key"])
@pytest.mark.parametrize("status", sorted(set(Status) - set(lifecycle.UNFINISHED)))
def test_an_ended_job_lets_go_of_its_key(column: str, status: str) -> None:
    end = NOW if status in lifecycle.ENDED else None
    raw_job(status=status, finished_at=end, **{column: "k"})
    raw_job(**{column: "k"})


def test_an_idempotency_key_is_used_once_per_owner(user: User, other_user: User) -> None:
    raw_job(owner=user, idempotency_key="k", status=Status.SUCCEEDED, finished_at=NOW)
    refused("job_idempotency_per_owner", owner=user, idempotency_key="k")
    raw_job(owner=other_user, idempotency_key="k")
    raw_job(owner=user, idempotency_key="other")


def test_an_idempotency_key_without_an_owner_is_used_once_too() -> None:
    raw_job(idempotency_key="k")
    refused("job_idempotency_per_owner", idempotency_key="k")
    raw_job()
    raw_job()


def test_an_executions_state_is_a_known_one() -> None:
    execution_refused("execution_status_known", raw_job(), status="DONE", finished_at=NOW)


@pytest.mark.parametrize("outcome", sorted(set(Outcome) - {Outcome.RUNNING}))
def test_an_ended_execution_needs_its_end(outcome: str) -> None:
    execution_refused(
        "execution_finished_at_matches_status", raw_job(), status=outcome, finished_at=None
    )


def test_a_running_execution_has_no_end() -> None:
    execution_refused("execution_finished_at_matches_status", raw_job(), finished_at=NOW)


def test_one_execution_of_a_job_runs_at_a_time() -> None:
    job = raw_job()
    make_odd_execution(job, number=1)
    execution_refused("execution_one_running_per_job", job, number=2)
    make_odd_execution(job, number=2, status=Outcome.FAILED)
    make_odd_execution(raw_job(), number=1)


def test_an_executions_number_is_given_once() -> None:
    job = raw_job()
    make_odd_execution(job, number=1, status=Outcome.FAILED)
    execution_refused("execution_number_once", job, number=1, status=Outcome.FAILED)


def test_an_executions_number_starts_at_one() -> None:
    execution_refused("execution_number_from_1", raw_job(), number=0, status=Outcome.FAILED)


def test_a_piece_of_log_stands_once() -> None:
    execution = make_odd_execution(raw_job())
    ExecutionLog.objects.create(execution=execution, sequence=1, stream="log", text="a")
    with pytest.raises(IntegrityError, match="log_sequence_once"), transaction.atomic():
        ExecutionLog.objects.create(execution=execution, sequence=1, stream="log", text="b")


def test_text_that_is_too_long_is_refused_not_cut() -> None:
    with pytest.raises(DataError), transaction.atomic():
        raw_job(task="t" * 256)


def delete_plainly(row: Model) -> None:
    """As a person with psql would: the database's own rules must hold then."""
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {row._meta.db_table} WHERE id = %s", [row.pk])


def test_deleting_a_job_takes_its_executions_and_logs_along() -> None:
    job = make_job(Status.FAILED)
    execution = JobExecution.objects.get(job=job)
    ExecutionLog.objects.create(execution=execution, sequence=1, stream="log", text="a")
    delete_plainly(job)
    assert not JobExecution.objects.exists()
    assert not ExecutionLog.objects.exists()


def test_deleting_a_person_leaves_their_jobs(user: User) -> None:
    job = make_job(owner=user)
    user.delete()
    job.refresh_from_db()
    assert job.owner_id is None


def test_rows_name_themselves() -> None:
    job = make_job(Status.RUNNING)
    execution = job.executions.get()
    assert str(job) == f"{job.id} tests.sample_app.tasks.noop"
    assert job.task_name == "noop"
    assert str(execution) == f"{job.id}#1"
    assert str(ExecutionLog(execution=execution, sequence=3)) == f"{execution.id}:3"
    assert str(Queue(name="mail")) == "mail"
    worker = make_worker(kind=Worker.Kind.WATCHDOG, host="h", pid=7)
    assert str(worker) == worker.label == "watchdog@h:7"


def test_a_duration_needs_both_ends() -> None:
    ended = JobExecution(started_at=NOW, finished_at=NOW + timedelta(seconds=1.2345))
    assert ended.duration_ms == 1234
    assert JobExecution(started_at=NOW).duration_ms is None
    assert JobExecution(finished_at=NOW).duration_ms is None
