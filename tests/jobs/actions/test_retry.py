"""A job that was given up: again with a fresh budget, or away with it."""

from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from controlplane.actors import SYSTEM, Actor
from controlplane.errors import NotFound
from jobs.actions.retry import discard_job, retry_job
from jobs.errors import CannotRetry, InvalidTransition, KeyTaken
from jobs.lifecycle import Status
from jobs.models import Job
from jobs.sql import JOBS_CHANNEL
from tests.concurrency import listening
from tests.factories import make_job
from tests.jobs.reading import claim, events, fresh, seconds_from_now, trail

pytestmark = pytest.mark.django_db

OTHERS = sorted(set(Status) - {Status.DEAD_LETTER})


def test_a_retry_queues_again_with_a_fresh_budget() -> None:
    job = make_job(
        Status.DEAD_LETTER,
        attempts_charged=4,
        crashes_alone=2,
        cancel_requested_at=timezone.now(),
    )
    assert job.reason == "attempts_exhausted"
    retried = retry_job(job_id=job.id, actor=SYSTEM)
    assert (retried.status, retried.finished_at, retried.run_after) == ("PENDING", None, None)
    assert (retried.attempts_charged, retried.crashes_alone, retried.reason) == (0, 0, "")
    assert retried.cancel_requested_at is None
    assert abs(seconds_from_now(retried.queued_at)) < 5
    assert trail(job.id)[-1] == "JOB_RETRIED"
    assert events(job.id)[-1].metadata == {"previous_status": "DEAD_LETTER"}


def test_attempts_after_a_retry_go_on_counting() -> None:
    job = make_job(Status.DEAD_LETTER)
    retry_job(job_id=job.id, actor=SYSTEM)
    (claimed,) = claim()
    assert (claimed.number, claimed.attempts_charged) == (2, 0)


def test_a_suspect_stays_one_when_it_is_retried() -> None:
    job = make_job(Status.DEAD_LETTER, suspect=True, isolated=True)
    retried = retry_job(job_id=job.id, actor=SYSTEM)
    assert (retried.suspect, retried.isolated) == (True, True)


@pytest.mark.parametrize("status", OTHERS)
def test_a_job_in_any_other_state_refuses_a_retry(status: str) -> None:
    job = make_job(status)
    before, told = Job.objects.filter(pk=job.pk).values().get(), trail(job.id)
    with pytest.raises(CannotRetry, match=f"is {status}; retry is not possible") as caught:
        retry_job(job_id=job.id, actor=SYSTEM)
    assert (caught.value.http_status, caught.value.code) == (409, "CANNOT_RETRY")
    assert Job.objects.filter(pk=job.pk).values().get() == before
    assert trail(job.id) == told


@pytest.mark.parametrize("key", ["unique_key", "overlap_key"])
def test_a_retry_whose_key_is_held_meanwhile_is_refused(key: str) -> None:
    held: dict[str, Any] = {key: "k"}
    job = make_job(Status.DEAD_LETTER, **held)
    holder = make_job(**held)
    with pytest.raises(KeyTaken) as caught:
        retry_job(job_id=job.id, actor=SYSTEM)
    assert caught.value.http_status == 409
    assert fresh(job).status == Status.DEAD_LETTER
    Job.objects.filter(pk=holder.pk).delete()
    assert retry_job(job_id=job.id, actor=SYSTEM).status == Status.PENDING


def test_a_discard_ends_the_job() -> None:
    job = make_job(Status.DEAD_LETTER)
    discarded = discard_job(job_id=job.id, actor=SYSTEM, reason="no use")
    assert discarded.status == Status.CANCELLED
    assert abs(seconds_from_now(discarded.finished_at)) < 5
    assert discarded.reason == "attempts_exhausted", "why it came to this stays to be read"
    assert trail(job.id)[-1] == "JOB_DISCARDED"
    assert events(job.id)[-1].metadata == {"previous_status": "DEAD_LETTER", "reason": "no use"}


@pytest.mark.parametrize("status", OTHERS)
def test_a_job_in_any_other_state_refuses_a_discard(status: str) -> None:
    job = make_job(status)
    with pytest.raises(InvalidTransition, match=f"is {status}; discard is not possible"):
        discard_job(job_id=job.id, actor=SYSTEM)
    assert fresh(job).status == status


@pytest.mark.parametrize("action", [retry_job, discard_job])
def test_a_user_moves_own_jobs_only(
    action: type, user: User, other_user: User, user_actor: Actor
) -> None:
    own, foreign = (make_job(Status.DEAD_LETTER, owner=who) for who in (user, other_user))
    with pytest.raises(NotFound):
        action(job_id=foreign.id, actor=user_actor)
    assert fresh(foreign).status == Status.DEAD_LETTER
    action(job_id=own.id, actor=user_actor)
    assert fresh(own).status != Status.DEAD_LETTER
    assert events(own.id)[-1].actor_id == user.pk


@pytest.mark.django_db(transaction=True)
def test_executors_are_woken_by_a_retry_and_not_by_a_discard() -> None:
    jobs = [make_job(Status.DEAD_LETTER, queue=name) for name in ("a", "b")]
    with listening(JOBS_CHANNEL) as ear:
        retry_job(job_id=jobs[0].id, actor=SYSTEM)
        discard_job(job_id=jobs[1].id, actor=SYSTEM)
        assert ear.heard() == ["a"]
