"""Many interleavings of real transactions, as chance has them: one end each, and no deadlock."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import partial

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from audit.models import AuditEvent
from audit.vocabulary import EventType
from controlplane.actors import SYSTEM
from jobs import queue, recovery
from jobs.actions.cancel import cancel_job
from jobs.actions.enqueue import enqueue_job
from jobs.errors import CannotCancel
from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution
from tests.concurrency import together
from tests.factories import make_jobs
from tests.jobs.reading import claim, failure, states, success

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 50
#: The calls of a round start within so long of each other, seconds.
SPREAD = 0.004

#: The events that tell how an attempt ended, when they name one.
ENDS = (
    EventType.JOB_SUCCEEDED,
    EventType.JOB_FAILED,
    EventType.JOB_TIMED_OUT,
    EventType.JOB_HANDED_BACK,
    EventType.JOB_CANCELLED,
)


def no_errors(results: Iterable[object]) -> None:
    for result in results:
        if isinstance(result, BaseException):
            raise result


def ends_of_each(job_ids: Sequence[int]) -> Counter[int]:
    """How many events tell of an end, by job."""
    events = AuditEvent.objects.filter(
        target_id__in=job_ids, event_type__in=ENDS, metadata__has_key="attempt"
    )
    found = Counter(job_id for job_id in events.values_list("target_id", flat=True) if job_id)
    return Counter({job_id: found[job_id] for job_id in job_ids})


def test_completion_against_lost_lease_leaves_exactly_one_end() -> None:
    make_jobs(ROUNDS)
    claimed = claim(1, limit=ROUNDS)
    JobExecution.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    for one in claimed:
        report = partial(queue.report_succeeded, 1, [success(one)])
        no_errors(together(report, partial(recovery.reclaim_expired, 1), spread=SPREAD))
    recovery.reclaim_expired(ROUNDS)
    assert set(ends_of_each([one.job_id for one in claimed]).values()) == {1}
    assert not JobExecution.objects.running().exists()
    assert not Job.objects.filter(status=Status.RUNNING).exists()
    pairs = Counter(Job.objects.values_list("status", "executions__status"))
    assert set(pairs) <= {("SUCCEEDED", "SUCCEEDED"), ("PENDING", "INTERRUPTED")}


def test_cancel_against_claim_never_cancels_what_runs() -> None:
    for job_id in make_jobs(ROUNDS):
        Job.objects.exclude(pk=job_id).filter(status=Status.PENDING).update(queue="later")
        Job.objects.filter(pk=job_id).update(queue="now")
        cancel = partial(cancel_job, job_id=job_id, actor=SYSTEM)
        answer, claimed = together(cancel, partial(claim, 1, queues=["now"]), spread=SPREAD)
        assert isinstance(answer, Job), answer
        started = JobExecution.objects.filter(job_id=job_id).exists()
        assert bool(claimed) is started
        assert answer.status == (Status.RUNNING if started else Status.CANCELLED)
        assert states(job_id)[0] == answer.status


def test_report_against_cancel_tells_the_truth_to_both() -> None:
    make_jobs(ROUNDS)
    for one in claim(1, limit=ROUNDS):
        report = partial(queue.report_succeeded, 1, [success(one)])
        cancel = partial(cancel_job, job_id=one.job_id, actor=SYSTEM)
        late, answer = together(report, cancel, spread=SPREAD)
        assert late == []
        if isinstance(answer, CannotCancel):
            assert states(one.job_id) == ("SUCCEEDED", ["SUCCEEDED"])
        else:
            assert isinstance(answer, Job), answer
            assert states(one.job_id) == ("CANCELLED", ["SUCCEEDED"])


def test_claimers_at_full_tilt_share_nothing_and_leave_nothing() -> None:
    ids = make_jobs(400)

    def take(worker_id: int) -> list[int]:
        taken: list[int] = []
        while batch := claim(worker_id, limit=7):
            taken += [one.job_id for one in batch]
        return taken

    results = together(*(partial(take, worker_id) for worker_id in (1, 2, 3, 4)))
    no_errors(results)
    taken = [job_id for result in results if isinstance(result, list) for job_id in result]
    assert sorted(taken) == ids
    assert set(JobExecution.objects.values_list("number", flat=True)) == {1}


def test_retries_that_come_due_at_once_are_numbered_without_gap_or_repeat() -> None:
    ids = make_jobs(60)

    def dispatch(worker_id: int) -> None:
        for _ in range(12):
            recovery.promote_due(20)
            for one in claim(worker_id, limit=20):
                ending = failure(retry_delay=0.0)
                assert queue.report_ended(worker_id, {one.execution_id: ending}) == []

    no_errors(together(partial(dispatch, 1), partial(dispatch, 2)))
    for job_id in ids:
        executions = JobExecution.objects.filter(job_id=job_id).order_by("id")
        numbers = list(executions.values_list("number", flat=True))
        assert numbers == list(range(1, len(numbers) + 1))
        assert Job.objects.get(pk=job_id).executions_made == len(numbers)
    assert JobExecution.objects.count() > 60


def test_the_same_key_from_many_sides_is_one_job() -> None:
    task = "tests.sample_app.tasks.noop"
    for number in range(15):
        call = partial(enqueue_job, task=task, actor=SYSTEM, unique_key=f"k{number}")
        results = together(call, call, call, spread=SPREAD)
        no_errors(results)
        assert len({enqueued.job_id for enqueued in results if hasattr(enqueued, "job_id")}) == 1
    assert Job.objects.count() == 15


def test_everything_at_once_in_opposite_orders_never_deadlocks() -> None:
    """Completions, failures, reclaims, renewals, starts, cancels: each in an order of its own."""
    ids = make_jobs(120)
    claimed = claim(1, limit=len(ids))
    executions = [one.execution_id for one in claimed]
    JobExecution.objects.filter(id__in=executions[::3]).update(
        lease_expires_at=Now() - timedelta(seconds=1)
    )

    def shuffled() -> list[queue.Claimed]:
        return random.sample(claimed, len(claimed))

    def complete() -> None:
        for start in range(0, 120, 20):
            queue.report_succeeded(1, [success(one) for one in shuffled()[start : start + 20]])

    def fail() -> None:
        for start in range(0, 120, 20):
            batch = shuffled()[start : start + 20]
            queue.report_ended(1, {one.execution_id: failure() for one in batch})

    def start() -> None:
        for _ in range(6):
            queue.mark_started(
                1,
                [
                    queue.Start(o.execution_id, o.job_id, o.task, o.number, 0.0, alone=False)
                    for o in shuffled()[:20]
                ],
            )

    def cancel() -> None:
        for one in shuffled()[:60]:
            try:
                cancel_job(job_id=one.job_id, actor=SYSTEM)
            except CannotCancel:
                continue

    def repeat(call: Callable[[], object]) -> None:
        for _ in range(10):
            call()

    calls: list[Callable[[], object]] = [
        complete,
        fail,
        start,
        cancel,
        partial(repeat, partial(recovery.reclaim_expired, 15)),
        partial(repeat, partial(recovery.renew_leases, 1, executions)),
    ]
    no_errors(together(*calls))
    recovery.recover(1, started={})
    assert set(ends_of_each(ids).values()) == {1}
    assert not JobExecution.objects.filter(status=Outcome.RUNNING).exists()
