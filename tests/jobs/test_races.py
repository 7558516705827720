"""Two at once on one job, in both orders: the second sees what the first did, and one end stands.

Here each order is forced; tests/jobs/test_races_at_random.py lets chance decide.
"""

from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane.actors import SYSTEM
from jobs import queue, recovery
from jobs.actions.cancel import cancel_job
from jobs.actions.enqueue import enqueue_job
from jobs.actions.retry import discard_job, retry_job
from jobs.errors import CannotCancel, InvalidTransition
from jobs.lifecycle import Status
from jobs.models import Job, JobExecution
from jobs.queue import Claimed
from tests.concurrency import Meanwhile, Paused
from tests.factories import make_job, make_jobs
from tests.jobs.reading import claim, failure, fresh, states, success, trail

pytestmark = pytest.mark.django_db(transaction=True)


def lost() -> tuple[Job, Claimed]:
    """A job whose attempt began and whose lease has run out, though its executor still works."""
    job = make_job()
    (claimed,) = claim(1)
    begun = queue.Start(
        claimed.execution_id, job.id, job.task, 1, queue.database_time(), alone=False
    )
    queue.mark_started(1, [begun])
    JobExecution.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    return job, claimed


def test_a_completion_that_meets_a_reclaim_under_way_is_late() -> None:
    job, claimed = lost()
    reclaim = Paused(lambda: recovery.reclaim_expired(10))
    report = Meanwhile(lambda: queue.report_succeeded(1, [success(claimed)]))
    report.wait_until_blocked()
    assert reclaim.commit() == 1
    assert report.result() == [claimed.execution_id]
    assert states(job.id) == ("FAILED", ["TIMED_OUT"])
    assert trail(job.id)[2:] == ["JOB_TIMED_OUT", "JOB_LATE_RESULT"]


def test_a_reclaim_that_meets_a_completion_under_way_leaves_it() -> None:
    job, claimed = lost()
    report = Paused(lambda: queue.report_succeeded(1, [success(claimed)]))
    assert Meanwhile(lambda: recovery.reclaim_expired(10)).result() == 0
    assert report.commit() == []
    assert recovery.reclaim_expired(10) == 0
    assert states(job.id) == ("SUCCEEDED", ["SUCCEEDED"])
    assert trail(job.id)[2:] == ["JOB_SUCCEEDED"]


def test_a_failure_that_meets_a_reclaim_under_way_is_late() -> None:
    job, claimed = lost()
    reclaim = Paused(lambda: recovery.reclaim_expired(10))
    report = Meanwhile(lambda: queue.report_ended(1, {claimed.execution_id: failure()}))
    report.wait_until_blocked()
    assert reclaim.commit() == 1
    assert report.result() == [claimed.execution_id]
    assert states(job.id) == ("FAILED", ["TIMED_OUT"])


def test_a_start_that_meets_a_reclaim_under_way_is_not_recorded() -> None:
    job, claimed = lost()
    JobExecution.objects.update(started_at=None)
    reclaim = Paused(lambda: recovery.reclaim_expired(10))
    start = queue.Start(claimed.execution_id, job.id, job.task, 1, 0.0, alone=False)
    mark = Meanwhile(lambda: queue.mark_started(1, [start]))
    mark.wait_until_blocked()
    reclaim.commit()
    mark.result()
    assert JobExecution.objects.get().started_at is None
    assert trail(job.id) == ["JOB_CREATED", "JOB_STARTED", "JOB_HANDED_BACK"]


def test_a_dead_executors_recovery_waits_for_a_completion_under_way() -> None:
    """Skipping it would leave it behind if that completion failed after all."""
    job, claimed = lost()
    report = Paused(lambda: queue.report_succeeded(1, [success(claimed)]))
    recover = Meanwhile(lambda: recovery.recover(1, started={claimed.execution_id: False}))
    recover.wait_until_blocked()
    report.commit()
    assert recover.result() == (0, 0)
    assert states(job.id) == ("SUCCEEDED", ["SUCCEEDED"])


def test_a_completion_of_a_job_that_was_claimed_again_touches_no_new_attempt() -> None:
    job, claimed = lost()
    recovery.reclaim_expired(10)
    Job.objects.update(run_after=timezone.now())
    recovery.promote_due(10)
    again = Paused(lambda: claim(2, isolated=True))
    assert Meanwhile(lambda: queue.report_succeeded(1, [success(claimed)])).result()
    (new,) = again.commit()
    assert states(job.id) == ("RUNNING", ["TIMED_OUT", "RUNNING"])
    assert queue.report_succeeded(2, [success(new)]) == []
    assert states(job.id) == ("SUCCEEDED", ["TIMED_OUT", "SUCCEEDED"])


def test_two_claimers_never_share_a_job() -> None:
    make_jobs(10)
    first = Paused(lambda: claim(1, limit=6))
    second = Meanwhile(lambda: claim(2, limit=6)).result()
    taken = first.commit()
    assert len(taken) == 6
    assert len(second) == 4
    assert not {one.job_id for one in taken} & {one.job_id for one in second}


def test_a_claim_that_is_undone_leaves_the_job_to_others() -> None:
    job = make_job()

    def fail_after_claiming() -> None:
        claim(1)
        raise ZeroDivisionError

    first = Paused(fail_after_claiming)
    assert Meanwhile(lambda: claim(2)).result() == []
    with pytest.raises(ZeroDivisionError):
        first.commit()
    assert len(claim(2)) == 1
    assert states(job.id) == ("RUNNING", ["RUNNING"])


def test_two_promoters_never_share_a_job() -> None:
    ids = [make_job(Status.SCHEDULED).id for _ in range(4)]
    Job.objects.update(run_after=timezone.now())
    first = Paused(lambda: recovery.promote_due(3))
    assert Meanwhile(lambda: recovery.promote_due(10)).result() == 1
    assert first.commit() == 3
    assert [trail(id_) for id_ in ids] == [["JOB_CREATED", "JOB_DUE"]] * 4


def test_a_cancel_that_meets_a_claim_under_way_becomes_a_request() -> None:
    """Read again, decide again: never "cancelled" for a job that has just begun to run."""
    job = make_job()
    claimer = Paused(lambda: claim(1))
    cancel = Meanwhile(lambda: cancel_job(job_id=job.id, actor=SYSTEM))
    cancel.wait_until_blocked()
    (claimed,) = claimer.commit()
    assert cancel.result().status == Status.RUNNING
    assert queue.cancel_requested(1) == [claimed.execution_id]
    assert trail(job.id) == ["JOB_CREATED", "JOB_CANCEL_REQUESTED"]


def test_a_claim_that_meets_a_cancel_under_way_takes_nothing() -> None:
    job = make_job()
    cancel = Paused(lambda: cancel_job(job_id=job.id, actor=SYSTEM))
    assert Meanwhile(lambda: claim(1)).result() == []
    assert cancel.commit().status == Status.CANCELLED
    assert claim(1) == []
    assert states(job.id) == ("CANCELLED", [])


def test_a_cancel_that_meets_a_completion_under_way_is_told_that_the_job_has_ended() -> None:
    job, claimed = lost()
    report = Paused(lambda: queue.report_succeeded(1, [success(claimed)]))
    cancel = Meanwhile(lambda: cancel_job(job_id=job.id, actor=SYSTEM))
    cancel.wait_until_blocked()
    report.commit()
    with pytest.raises(CannotCancel, match="SUCCEEDED"):
        cancel.result()
    assert fresh(job).cancel_requested_at is None


@pytest.mark.parametrize("ends_well", [True, False])
def test_a_report_that_meets_a_cancel_under_way_honours_it(ends_well: bool) -> None:
    job, claimed = lost()
    cancel = Paused(lambda: cancel_job(job_id=job.id, actor=SYSTEM))
    if ends_well:
        report = Meanwhile(lambda: queue.report_succeeded(1, [success(claimed)]))
    else:
        report = Meanwhile(lambda: queue.report_ended(1, {claimed.execution_id: failure()}))
    report.wait_until_blocked()
    assert cancel.commit().status == Status.RUNNING
    assert report.result() == []
    assert states(job.id) == ("CANCELLED", ["SUCCEEDED" if ends_well else "FAILED"])


def test_a_cancel_that_meets_a_promotion_under_way_cancels_all_the_same() -> None:
    job = make_job(Status.SCHEDULED)
    Job.objects.update(run_after=timezone.now())
    promote = Paused(lambda: recovery.promote_due(10))
    cancel = Meanwhile(lambda: cancel_job(job_id=job.id, actor=SYSTEM))
    cancel.wait_until_blocked()
    assert promote.commit() == 1
    assert cancel.result().status == Status.CANCELLED
    assert trail(job.id) == ["JOB_CREATED", "JOB_DUE", "JOB_CANCELLED"]


def test_of_a_retry_and_a_discard_at_once_one_is_refused() -> None:
    job = make_job(Status.DEAD_LETTER)
    retry = Paused(lambda: retry_job(job_id=job.id, actor=SYSTEM))
    discard = Meanwhile(lambda: discard_job(job_id=job.id, actor=SYSTEM))
    discard.wait_until_blocked()
    retry.commit()
    with pytest.raises(InvalidTransition, match="PENDING"):
        discard.result()
    assert fresh(job).status == Status.PENDING


@pytest.mark.parametrize("key", ["unique_key", "idempotency_key"])
def test_two_that_enqueue_the_same_key_get_the_same_job(key: str) -> None:
    task = "tests.sample_app.tasks.noop"
    first = Paused(lambda: enqueue_job(task=task, actor=SYSTEM, **{key: "k"}))
    second = Meanwhile(lambda: enqueue_job(task=task, actor=SYSTEM, **{key: "k"}))
    second.wait_until_blocked()
    made, found = first.commit(), second.result()
    assert (made.created, found.created) == (True, False)
    assert made.job_id == found.job_id == Job.objects.get().id
