"""Completions: written once, by whoever holds the execution, with exactly three records in all."""

import json
import logging
from datetime import UTC, datetime, timedelta

import pytest
from django.db import DataError, transaction
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from audit.models import AuditEvent
from jobs import queue, recovery
from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution
from jobs.queue import Start, Succeeded
from jobs.settlement import Fate
from tests.factories import fail, make_job, make_jobs, make_worker
from tests.jobs.reading import (
    claim,
    events,
    failure,
    fresh,
    job_of,
    states,
    success,
    trail,
)

pytestmark = pytest.mark.django_db

STARTED = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
FINISHED = STARTED + timedelta(seconds=2)


def start(claimed: queue.Claimed, *, alone: bool = False, at: datetime = STARTED) -> Start:
    return Start(
        claimed.execution_id, claimed.job_id, claimed.task, claimed.number, at.timestamp(), alone
    )


def completion(claimed: queue.Claimed, result: str | None = None) -> Succeeded:
    return Succeeded(
        claimed.execution_id, claimed.job_id, STARTED.timestamp(), FINISHED.timestamp(), result
    )


def test_a_completion_ends_execution_and_job() -> None:
    make_job(suspect=True, reason="crashed")
    (claimed,) = claim(1)
    assert queue.report_succeeded(1, [completion(claimed, '{"n": 1}')]) == []
    execution = JobExecution.objects.get(pk=claimed.execution_id)
    assert (execution.status, execution.result) == (Outcome.SUCCEEDED, {"n": 1})
    assert execution.started_at == STARTED
    assert execution.finished_at == FINISHED
    assert execution.charged
    job = job_of(execution)
    assert (job.status, job.finished_at, job.attempts_charged) == ("SUCCEEDED", FINISHED, 1)
    assert (job.suspect, job.reason, job.run_after) == (False, "", None)


def test_the_record_is_created_started_succeeded_with_their_times() -> None:
    job = make_job()
    (claimed,) = claim(1)
    queue.report_succeeded(1, [completion(claimed)])
    assert trail(job.id) == ["JOB_CREATED", "JOB_STARTED", "JOB_SUCCEEDED"]
    _, started, succeeded = events(job.id)
    assert (started.occurred_at, started.metadata) == (STARTED, {"attempt": 1})
    assert (succeeded.occurred_at, succeeded.metadata) == (FINISHED, {"attempt": 1})
    assert started.target_label == succeeded.target_label == job.task


def test_a_start_that_is_known_is_not_recorded_twice() -> None:
    job = make_job()
    (claimed,) = claim(1)
    queue.mark_started(1, [start(claimed)])
    queue.report_succeeded(1, [success(claimed)])
    assert trail(job.id) == ["JOB_CREATED", "JOB_STARTED", "JOB_SUCCEEDED"]
    assert JobExecution.objects.get(job=job).started_at == STARTED


def test_a_batch_may_mix_known_and_unknown_starts_and_cancels() -> None:
    make_jobs(4)
    claimed = claim(1)
    queue.mark_started(1, [start(claimed[0]), start(claimed[1])])
    cancelled = [claimed[1].job_id, claimed[2].job_id]
    Job.objects.filter(pk__in=cancelled).update(cancel_requested_at=timezone.now())
    assert queue.report_succeeded(1, [completion(one, f"{one.job_id}") for one in claimed]) == []
    for one in claimed:
        end = "CANCELLED" if one.job_id in cancelled else "SUCCEEDED"
        assert states(one.job_id) == (end, ["SUCCEEDED"])
        assert trail(one.job_id) == ["JOB_CREATED", "JOB_STARTED", f"JOB_{end}"]
        assert JobExecution.objects.get(pk=one.execution_id).result == one.job_id


def test_a_requested_cancel_makes_the_job_cancelled_with_its_real_outcome() -> None:
    job = make_job()
    (claimed,) = claim(1)
    Job.objects.update(cancel_requested_at=timezone.now())
    assert queue.report_succeeded(1, [completion(claimed)]) == []
    assert states(job.id) == ("CANCELLED", ["SUCCEEDED"])
    assert fresh(job).finished_at == FINISHED
    assert events(job.id)[-1].metadata == {"attempt": 1, "outcome": "SUCCEEDED"}


def test_another_workers_execution_is_not_touched() -> None:
    job = make_job()
    (claimed,) = claim(1)
    assert queue.report_succeeded(2, [completion(claimed)]) == [claimed.execution_id]
    assert states(job.id) == ("RUNNING", ["RUNNING"])
    assert trail(job.id) == ["JOB_CREATED", "JOB_LATE_RESULT"]
    assert events(job.id)[-1].metadata == {"attempt": 1, "outcome": "SUCCEEDED"}
    assert events(job.id)[-1].target_label == job.task


def test_a_result_after_the_lease_was_lost_is_recorded_and_changes_nothing() -> None:
    job = make_job()
    (claimed,) = claim(1)
    JobExecution.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    recovery.reclaim_expired(10)
    (again,) = claim(2, isolated=True)
    before = list(JobExecution.objects.order_by("id").values())
    assert queue.report_succeeded(1, [completion(claimed)]) == [claimed.execution_id]
    assert states(job.id) == ("RUNNING", ["INTERRUPTED", "RUNNING"])
    assert list(JobExecution.objects.order_by("id").values()) == before
    assert trail(job.id)[-1] == "JOB_LATE_RESULT"
    assert queue.report_succeeded(2, [completion(again)]) == []
    assert states(job.id) == ("SUCCEEDED", ["INTERRUPTED", "SUCCEEDED"])


def test_the_same_report_again_is_no_late_result() -> None:
    """The answer to the first one was lost on its way; the lease was not."""
    job = make_job()
    (claimed,) = claim(1)
    for record_late in (True, True, False):
        assert queue.report_succeeded(1, [completion(claimed)], record_late=record_late) == []
    assert trail(job.id) == ["JOB_CREATED", "JOB_STARTED", "JOB_SUCCEEDED"]
    assert queue.report_succeeded(2, [completion(claimed)]) == [claimed.execution_id]
    assert trail(job.id)[-1] == "JOB_LATE_RESULT"


def test_the_late_ones_of_a_batch_do_not_stop_the_others() -> None:
    make_jobs(3)
    claimed = claim(1)
    JobExecution.objects.filter(pk=claimed[1].execution_id).update(worker_id=2)
    late = queue.report_succeeded(1, [completion(one) for one in claimed])
    assert late == [claimed[1].execution_id]
    found = Job.objects.order_by("id").values_list("status", flat=True)
    assert list(found) == ["SUCCEEDED", "RUNNING", "SUCCEEDED"]


def test_whoever_rolls_back_records_late_results_himself() -> None:
    job = make_job()
    (claimed,) = claim(1)
    late = queue.report_succeeded(2, [completion(claimed)], record_late=False)
    assert late == [claimed.execution_id]
    assert trail(job.id) == ["JOB_CREATED"]


def test_an_execution_that_is_not_there_is_late_and_that_is_all() -> None:
    assert queue.report_succeeded(1, [Succeeded(99, 99, 0.0, 1.0, None)]) == [99]
    assert queue.report_ended(1, {99: failure()}) == [99]


def test_no_completions_are_no_trouble() -> None:
    assert queue.report_succeeded(1, []) == []
    assert queue.report_ended(1, {}) == []
    queue.mark_started(1, [])


def test_a_job_that_left_its_state_while_its_execution_ran_stops_the_report() -> None:
    """It cannot happen; if it did, nothing of the batch may be written."""
    job = make_job()
    (claimed,) = claim(1)
    Job.objects.update(status=Status.BLOCKED)
    with pytest.raises(DataError, match="1 completions"), transaction.atomic():
        queue.report_succeeded(1, [completion(claimed)])
    assert states(job.id) == ("BLOCKED", ["RUNNING"])
    assert trail(job.id) == ["JOB_CREATED"]


def test_results_are_stored_as_json() -> None:
    value = {"list": [1, 2.5, None], "text": "ä\U0001f600"}
    make_job()
    (claimed,) = claim(1)
    queue.report_succeeded(1, [completion(claimed, json.dumps(value))])
    assert JobExecution.objects.get(pk=claimed.execution_id).result == value


def test_a_start_becomes_visible_and_is_recorded_once() -> None:
    job = make_job()
    (claimed,) = claim(1)
    for _ in range(2):
        queue.mark_started(1, [start(claimed, alone=True)])
        queue.mark_started(1, [start(claimed, at=FINISHED)])
    execution = JobExecution.objects.get(job=job)
    assert (execution.started_at, execution.alone) == (STARTED, True)
    assert (execution.status, states(job.id)[0]) == ("RUNNING", "RUNNING")
    assert trail(job.id) == ["JOB_CREATED", "JOB_STARTED"]
    assert events(job.id)[-1].occurred_at == STARTED
    assert events(job.id)[-1].metadata == {"attempt": 1}


def test_a_batch_is_recorded_job_by_job() -> None:
    ids = [make_job(priority=priority).id for priority in (0, 1)]
    claimed = claim(1)
    assert [one.job_id for one in claimed] == ids[::-1]
    queue.mark_started(1, [start(one) for one in claimed])
    queue.report_succeeded(1, [completion(one) for one in claimed])
    recorded = AuditEvent.objects.exclude(event_type="JOB_CREATED").order_by("id")
    assert list(recorded.values_list("event_type", "target_id")) == [
        ("JOB_STARTED", ids[0]),
        ("JOB_STARTED", ids[1]),
        ("JOB_SUCCEEDED", ids[0]),
        ("JOB_SUCCEEDED", ids[1]),
    ]


def test_a_batch_whose_starts_are_unknown_is_recorded_job_by_job_too() -> None:
    ids = [make_job(priority=priority).id for priority in (0, 1)]
    queue.report_succeeded(1, [completion(one) for one in claim(1)])
    recorded = AuditEvent.objects.exclude(event_type="JOB_CREATED").order_by("id")
    assert list(recorded.values_list("event_type", "target_id")) == [
        (event, job_id) for job_id in ids for event in ("JOB_STARTED", "JOB_SUCCEEDED")
    ]


def test_a_start_that_is_not_ours_to_tell_is_left_out() -> None:
    foreign, ended, own = make_jobs(3)
    claimed = {one.job_id: one for one in claim(1)}
    JobExecution.objects.filter(job_id=foreign).update(worker_id=2)
    fail(JobExecution.objects.get(job_id=ended), outcome=Outcome.FAILED, fate=Fate.TRY_AGAIN)
    queue.mark_started(1, [start(one) for one in claimed.values()])
    assert trail(foreign) == ["JOB_CREATED"]
    assert trail(ended) == ["JOB_CREATED", "JOB_FAILED"]
    assert trail(own) == ["JOB_CREATED", "JOB_STARTED"]
    begun = JobExecution.objects.filter(started_at__isnull=False).values_list("job_id", flat=True)
    assert list(begun) == [own]


def test_reporting_says_nothing_by_itself(caplog: pytest.LogCaptureFixture) -> None:
    """A thousand completions a second must not be a thousand lines."""
    make_jobs(2)
    worker = make_worker()
    with caplog.at_level(logging.INFO):
        queue.report_succeeded(worker.id, [success(one) for one in claim(worker.id)])
    assert [line for line in caplog.messages if "SQL" not in line] == []


def test_a_claim_tells_whether_its_job_holds_an_overlap_key() -> None:
    make_job(overlap_key="nightly")
    make_job()
    assert [one.keyed for one in claim(1)] == [True, False]


@pytest.mark.django_db(transaction=True)
def test_completions_without_keys_take_one_statement(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    make_jobs(3)
    done = [completion(one)._replace(keyed=False) for one in claim(1)]
    with django_assert_num_queries(1):
        assert queue.report_succeeded(1, done) == []
