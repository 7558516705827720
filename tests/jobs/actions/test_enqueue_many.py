"""Many jobs in one call: quick, in order, and all or none."""

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from audit.models import AuditEvent
from controlplane.actors import SYSTEM, Actor
from controlplane.errors import PermissionDenied
from jobs.actions.enqueue import Enqueued, JobRequest, enqueue_many
from jobs.errors import IdempotencyConflict, InvalidArguments, TaskNotFound
from jobs.models import Job
from tests.factories import make_job

pytestmark = pytest.mark.django_db

NOOP = "tests.sample_app.tasks.noop"
ADD = "tests.sample_app.tasks.add"

#: Far more than it takes on a quiet machine, far less than one by one would.
SECONDS_FOR_20_000 = 20.0


def test_twenty_thousand_jobs_in_one_call() -> None:
    requests = [JobRequest(task=ADD, args=[number]) for number in range(20_000)]
    start = time.monotonic()
    enqueued = enqueue_many(requests, actor=SYSTEM)
    assert time.monotonic() - start < SECONDS_FOR_20_000
    assert len(enqueued) == Job.objects.count() == AuditEvent.objects.count() == 20_000
    ids = [one.job_id for one in enqueued if one is not None and one.created]
    found = dict(Job.objects.values_list("id", "args"))
    assert [found[id_] for id_ in ids] == [[number] for number in range(20_000)]


def test_each_request_has_its_own_options(user: User) -> None:
    due = timezone.now() + timedelta(hours=1)
    first, second = enqueue_many(
        [
            JobRequest(task=NOOP, queue="a", priority=1, owner_id=user.pk),
            JobRequest(task=ADD, args=[1], run_after=due, max_attempts=2),
        ],
        actor=SYSTEM,
    )
    assert first is not None
    assert second is not None
    job = Job.objects.get(pk=first.job_id)
    assert (job.queue, job.priority, job.owner_id) == ("a", 1, user.pk)
    job = Job.objects.get(pk=second.job_id)
    assert (job.args, job.run_after, job.max_attempts) == ([1], due, 2)


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (JobRequest(task=ADD), InvalidArguments),
        (JobRequest(task="nowhere.noop"), TaskNotFound),
        (JobRequest(task=NOOP, priority=999), InvalidArguments),
    ],
)
def test_bad_input_in_one_refuses_them_all(bad: JobRequest, error: type[Exception]) -> None:
    with pytest.raises(error):
        enqueue_many([JobRequest(task=NOOP), bad], actor=SYSTEM)
    assert not Job.objects.exists()


def test_a_conflict_in_one_undoes_them_all() -> None:
    make_job(idempotency_key="k", task=ADD, args=[1])
    requests = [JobRequest(task=NOOP), JobRequest(task=ADD, args=[2], idempotency_key="k")]
    with pytest.raises(IdempotencyConflict):
        enqueue_many(requests, actor=SYSTEM)
    assert Job.objects.count() == 1


def test_permission_is_asked_for_each(user: User, user_actor: Actor) -> None:
    own = JobRequest(task=NOOP, owner_id=user.pk)
    with pytest.raises(PermissionDenied):
        enqueue_many([own, JobRequest(task=NOOP)], actor=user_actor)
    assert not Job.objects.exists()
    assert len(enqueue_many([own, own], actor=user_actor)) == 2


def test_held_keys_give_their_holders_and_held_overlaps_nothing() -> None:
    held = make_job(unique_key="u")
    make_job(overlap_key="o")
    enqueued = enqueue_many(
        [
            JobRequest(task=NOOP, unique_key="u"),
            JobRequest(task=NOOP, overlap_key="o"),
            JobRequest(task=NOOP, unique_key="new"),
            JobRequest(task=NOOP, unique_key="new"),
        ],
        actor=SYSTEM,
    )
    assert enqueued[:2] == [Enqueued(held.id, created=False), None]
    third, fourth = enqueued[2:]
    assert third is not None
    assert third.created
    assert fourth == Enqueued(third.job_id, created=False)


def test_no_requests_are_no_jobs() -> None:
    assert enqueue_many([], actor=SYSTEM) == []
