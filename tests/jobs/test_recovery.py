"""Leases kept and lost, and jobs whose time has come."""

from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane import conf
from jobs import lifecycle, queue, recovery
from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution
from jobs.sql import JOBS_CHANNEL
from tests.concurrency import listening, locked_elsewhere
from tests.factories import make_job, make_jobs, make_odd_execution
from tests.jobs.reading import (
    claim,
    events,
    failure,
    fresh,
    job_of,
    seconds_from_now,
    states,
    success,
    trail,
)

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)
EXECUTIONS = JobExecution._meta.db_table


def running(count: int = 1, *, started: bool = False, worker_id: int = 1) -> list[JobExecution]:
    """Executions of one worker, by id; in the database's eyes begun or not."""
    make_jobs(count)
    claimed = claim(worker_id, limit=count)
    if started:
        begun = [
            queue.Start(
                one.execution_id, one.job_id, one.task, one.number, queue.database_time(), False
            )
            for one in claimed
        ]
        queue.mark_started(worker_id, begun)
    ids = [one.execution_id for one in claimed]
    return list(JobExecution.objects.filter(pk__in=ids).order_by("id"))


def expire(*executions: JobExecution) -> None:
    JobExecution.objects.filter(pk__in=[e.pk for e in executions]).update(
        lease_expires_at=timezone.now() - SECOND
    )


def leases_end(*executions: JobExecution) -> list[bool]:
    """Whether each lease has been renewed to its full length."""
    full = conf.options().lease_seconds
    return [
        seconds_from_now(fresh(execution).lease_expires_at) == pytest.approx(full, abs=5)
        for execution in executions
    ]


def test_a_renewal_extends_what_the_worker_holds() -> None:
    mine, foreign, ended = running(3)
    JobExecution.objects.filter(pk=foreign.pk).update(worker_id=2)
    queue.report_succeeded(1, [success(ended)])
    expire(mine, foreign, ended)
    assert recovery.renew_leases(1, [mine.pk, foreign.pk, ended.pk]) == 1
    assert leases_end(mine, foreign, ended) == [True, False, False]


def test_a_renewal_leaves_out_what_its_executor_does_not_name() -> None:
    """It is overdue, or the executor never heard that its claim had succeeded."""
    named, unnamed = running(2)
    expire(named, unnamed)
    assert recovery.renew_leases(1, [named.pk]) == 1
    assert leases_end(named, unnamed) == [True, False]
    assert recovery.renew_leases(1, []) == 0
    assert recovery.renew_leases(1, [unnamed.pk + 1000]) == 0


@pytest.mark.django_db(transaction=True)
def test_a_renewal_waits_for_nobody() -> None:
    settled_now, other = running(2)
    expire(settled_now, other)
    with locked_elsewhere(EXECUTIONS, settled_now.pk):
        assert recovery.renew_leases(1, [settled_now.pk, other.pk]) == 1
    assert leases_end(settled_now, other) == [False, True]


def test_a_lost_lease_times_the_attempt_out_and_charges_it() -> None:
    (execution,) = running(started=True)
    expire(execution)
    assert recovery.reclaim_expired(10) == 1
    fresh(execution)
    assert (execution.status, execution.charged) == (Outcome.TIMED_OUT, True)
    assert execution.error_code == "lease_expired"
    assert execution.lease_expires_at.isoformat() in execution.error_message
    job = job_of(execution)
    assert (job.status, job.attempts_charged) == ("FAILED", 1)
    assert (job.suspect, job.isolated, job.crashes_alone) == (True, True, 0)
    assert seconds_from_now(job.run_after) == pytest.approx(10, abs=5)
    assert trail(job.id) == ["JOB_CREATED", "JOB_STARTED", "JOB_TIMED_OUT"]
    told = {"attempt": 1, "error_code": "lease_expired", "reason": "lease_expired"}
    assert events(job.id)[-1].metadata == told


def test_a_lease_lost_before_the_start_costs_nothing() -> None:
    (execution,) = running()
    age = job_of(execution).queued_at
    expire(execution)
    assert recovery.reclaim_expired(10) == 1
    assert (fresh(execution).status, execution.charged) == (Outcome.INTERRUPTED, False)
    assert execution.error_code == "lease_expired"
    assert execution.lease_expires_at.isoformat() in execution.error_message
    job = job_of(execution)
    assert (job.status, job.attempts_charged, job.queued_at) == ("PENDING", 0, age)
    assert (job.suspect, job.isolated) == (True, True)
    assert trail(job.id) == ["JOB_CREATED", "JOB_HANDED_BACK"]


def test_live_leases_and_ended_executions_are_left_alone() -> None:
    live, ended = running(2, started=True)
    queue.report_succeeded(1, [success(ended)])
    expire(ended)
    assert recovery.reclaim_expired(10) == 0
    assert states(live.job_id) == ("RUNNING", ["RUNNING"])
    assert states(ended.job_id) == ("SUCCEEDED", ["SUCCEEDED"])


def test_a_requested_cancel_beats_a_lost_lease() -> None:
    (execution,) = running(started=True)
    Job.objects.update(cancel_requested_at=timezone.now())
    expire(execution)
    recovery.reclaim_expired(10)
    assert states(execution.job_id) == ("CANCELLED", ["TIMED_OUT"])


def test_a_lost_lease_may_be_the_last_attempt() -> None:
    (execution,) = running(started=True)
    Job.objects.update(max_attempts=1)
    expire(execution)
    recovery.reclaim_expired(10)
    assert states(execution.job_id) == ("DEAD_LETTER", ["TIMED_OUT"])
    assert job_of(execution).reason == "attempts_exhausted"


def test_the_oldest_are_reclaimed_first_and_no_more_than_asked() -> None:
    executions = running(3)
    expire(*executions)
    assert recovery.reclaim_expired(2) == 2
    assert [fresh(e).status for e in executions] == ["INTERRUPTED", "INTERRUPTED", "RUNNING"]
    assert recovery.reclaim_expired(2) == 1
    assert recovery.reclaim_expired(2) == 0


@pytest.mark.django_db(transaction=True)
def test_a_reclaim_waits_for_nobody() -> None:
    settled_now, other = running(2)
    expire(settled_now, other)
    with locked_elsewhere(EXECUTIONS, settled_now.pk):
        assert recovery.reclaim_expired(10) == 1
    assert fresh(settled_now).status == Outcome.RUNNING
    assert fresh(other).status == Outcome.INTERRUPTED


def test_a_dead_executors_work_is_settled_by_what_its_keeper_saw() -> None:
    begun, begun_alone, known, unstarted = running(4)
    JobExecution.objects.filter(pk=known.pk).update(started_at=timezone.now())
    (foreign,) = running(1, worker_id=2)
    started = {begun.pk: False, begun_alone.pk: True, foreign.pk: False}
    assert recovery.recover(1, started=started) == (3, 1)
    for execution in (begun, begun_alone, known):
        assert states(execution.job_id) == ("FAILED", ["INTERRUPTED"])
        assert fresh(execution).charged
        assert execution.alone is (execution == begun_alone)
        assert execution.error_code == "executor_died"
        assert "while this attempt was running" in execution.error_message
        job = job_of(execution)
        assert (job.suspect, job.isolated, job.attempts_charged) == (True, True, 1)
        assert job.crashes_alone == 0, "alone in a child, it had no hand in its executor's death"
    assert states(unstarted.job_id) == ("PENDING", ["INTERRUPTED"])
    assert not fresh(unstarted).charged
    assert "before this attempt began" in unstarted.error_message
    assert unstarted.error_code == "executor_died"
    job = job_of(unstarted)
    assert (job.suspect, job.isolated, job.attempts_charged) == (False, False, 0)
    assert states(foreign.job_id) == ("RUNNING", ["RUNNING"])


def test_recovery_settles_what_has_ended_no_second_time() -> None:
    ended, running_still = running(2, started=True)
    queue.report_succeeded(1, [success(ended)])
    both = {ended.pk: False, running_still.pk: False}
    assert recovery.recover(1, started=both) == (1, 0)
    assert recovery.recover(1, started=both) == (0, 0)
    assert states(ended.job_id) == ("SUCCEEDED", ["SUCCEEDED"])


def test_a_job_that_kills_its_process_again_and_again_is_given_up() -> None:
    job = make_job(max_attempts=21)
    (claimed,) = claim(1)
    recovery.recover(1, started={claimed.execution_id: False})
    crash_alone = failure(outcome=Outcome.INTERRUPTED, crashed=True, alone=True)
    for crash in (1, 2, 3):
        assert fresh(job).status == "FAILED", crash
        Job.objects.update(run_after=timezone.now() - SECOND)
        recovery.promote_due(10)
        assert claim(2) == [], "a suspect must not run among others"
        (claimed,) = claim(1, isolated=True)
        assert claimed.suspect
        queue.report_ended(1, {claimed.execution_id: crash_alone})
    assert (fresh(job).status, job.reason, job.crashes_alone) == ("DEAD_LETTER", "crashed", 3)
    assert job.attempts_charged == 4


def test_a_suspect_that_succeeds_is_none_any_more() -> None:
    job = make_job()
    (claimed,) = claim(1)
    recovery.recover(1, started={claimed.execution_id: False})
    Job.objects.update(status="PENDING", run_after=None)
    (claimed,) = claim(1, isolated=True)
    queue.report_succeeded(1, [success(claimed)])
    assert (fresh(job).status, job.suspect) == ("SUCCEEDED", False)


def test_due_jobs_queue_and_the_others_wait_on() -> None:
    past, future = timezone.now() - SECOND, timezone.now() + SECOND * 60
    due = [make_job(s, run_after=future) for s in (Status.SCHEDULED, Status.FAILED)]
    waiting = [make_job(s, run_after=future) for s in (Status.SCHEDULED, Status.FAILED)]
    others = [make_job(s) for s in set(Status) - {Status.SCHEDULED, Status.FAILED}]
    Job.objects.filter(pk__in=[job.pk for job in due]).update(run_after=past)
    assert recovery.promote_due(10) == 2
    assert recovery.promote_due(10) == 0
    for job in due:
        before = job.status
        assert (fresh(job).status, job.run_after) == ("PENDING", None)
        assert abs(seconds_from_now(job.queued_at)) < 5
        told = {"SCHEDULED": "JOB_DUE", "FAILED": "JOB_REQUEUED"}[before]
        assert trail(job.id)[-1] == told
        assert events(job.id)[-1].target_label == job.task
    for job in (*waiting, *others):
        before = job.status
        assert fresh(job).status == before


@pytest.mark.usefixtures("unaided")
def test_no_more_than_the_limit_are_promoted_and_those_due_first() -> None:
    jobs = [
        make_job(Status.SCHEDULED, run_after=timezone.now() + SECOND * (60 - n)) for n in range(3)
    ]
    for n, job in enumerate(jobs):
        Job.objects.filter(pk=job.pk).update(run_after=timezone.now() - SECOND * (n + 1))
    assert recovery.promote_due(2) == 2
    assert [fresh(job).status for job in jobs] == ["SCHEDULED", "PENDING", "PENDING"]


@pytest.mark.django_db(transaction=True)
def test_a_promotion_waits_for_nobody_and_wakes_executors() -> None:
    jobs = [make_job(Status.SCHEDULED, queue=name) for name in ("a", "b", "b")]
    Job.objects.update(run_after=timezone.now() - SECOND)
    with listening(JOBS_CHANNEL) as ear:
        with locked_elsewhere(Job._meta.db_table, jobs[0].pk):
            assert recovery.promote_due(10) == 2
        assert ear.heard() == ["b"]
        assert recovery.promote_due(10) == 1
        assert ear.heard() == ["a"]
        recovery.promote_due(10)
        assert ear.heard() == []


def test_a_promotion_that_moves_fewer_than_it_locked_stops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It cannot happen; if it did, no record may tell of moves that were none."""
    job = make_job(Status.SCHEDULED)
    Job.objects.update(run_after=timezone.now() - SECOND)
    monkeypatch.setattr(lifecycle, "apply", lambda *_args, **_columns: 0)
    with pytest.raises(RuntimeError, match="become_due: 1 jobs were locked, 0 moved"):
        recovery.promote_due(10)
    assert trail(job.id) == ["JOB_CREATED"]


@pytest.mark.usefixtures("unaided")
def test_of_those_that_wait_for_a_key_the_first_one_goes_on() -> None:
    first, second = (make_job(waits_for_key="k") for _ in range(2))
    Job.objects.filter(pk=first.pk).update(reason="now it lies behind the other")
    recovery.unblock_stranded(10)
    assert [fresh(job).status for job in (first, second)] == ["PENDING", "BLOCKED"]


@pytest.mark.django_db(transaction=True)
def test_what_was_left_waiting_for_a_free_key_goes_on() -> None:
    stranded = make_job(waits_for_key="free", queue="a")
    make_job(overlap_key="held")
    waiting = make_job(waits_for_key="held")
    with listening(JOBS_CHANNEL) as ear:
        recovery.unblock_stranded(10)
        assert ear.heard() == ["a"]
    assert (fresh(stranded).status, stranded.overlap_key) == ("PENDING", "free")
    assert fresh(waiting).status == "BLOCKED"
    assert trail(stranded.id) == ["JOB_CREATED", "JOB_UNBLOCKED"]


def test_a_release_that_moves_fewer_than_it_locked_stops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_job(waits_for_key="free")
    monkeypatch.setattr(lifecycle, "apply", lambda *_args, **_columns: 0)
    with pytest.raises(RuntimeError, match="1 waiting jobs were locked, 0 moved"):
        recovery.unblock_stranded(10)


def test_promotion_of_a_job_that_holds_a_key_keeps_it() -> None:
    job = make_job(Status.SCHEDULED, unique_key="k", overlap_key="o")
    Job.objects.update(run_after=timezone.now() - SECOND)
    recovery.promote_due(10)
    assert queue.insert([]) == []
    assert (fresh(job).status, job.unique_key, job.overlap_key) == ("PENDING", "k", "o")


def test_an_execution_without_its_job_running_stops_the_reclaim_unharmed() -> None:
    """It cannot happen; if it did, nothing may be written."""
    job = make_job(Status.SUCCEEDED)
    make_odd_execution(job, number=2, lease_expires_at=timezone.now() - SECOND)
    with pytest.raises(RuntimeError, match="moved 0 rows"):
        recovery.reclaim_expired(10)


def test_failures_and_lost_leases_share_one_budget() -> None:
    job = make_job(max_attempts=2)
    (claimed,) = claim(1)
    queue.report_ended(1, {claimed.execution_id: failure()})
    Job.objects.update(status="PENDING", run_after=None)
    (execution,) = [JobExecution.objects.get(pk=claim(1)[0].execution_id)]
    JobExecution.objects.filter(pk=execution.pk).update(started_at=timezone.now())
    expire(execution)
    recovery.reclaim_expired(10)
    assert states(job.id) == ("DEAD_LETTER", ["FAILED", "TIMED_OUT"])
