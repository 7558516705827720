"""Cancel: at once while a job waits, a request while it runs, a refusal when it has ended."""

import pytest

from accounts.models import User
from controlplane.actors import SYSTEM, Actor, Origin
from controlplane.errors import NotFound, PermissionDenied
from jobs import queue
from jobs.actions.cancel import cancel_job
from jobs.errors import CannotCancel, InvalidArguments
from jobs.lifecycle import CANCEL, Status
from jobs.models import Job, JobExecution
from tests.concurrency import listening
from tests.factories import make_job, succeed
from tests.jobs.reading import events, fresh, seconds_from_now, states, trail

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("status", CANCEL.sources)
def test_a_waiting_job_is_cancelled_at_once(status: str) -> None:
    job = make_job(status, unique_key="k")
    cancelled = cancel_job(job_id=job.id, actor=SYSTEM)
    assert (cancelled.id, cancelled.status, cancelled.run_after) == (job.id, "CANCELLED", None)
    assert abs(seconds_from_now(cancelled.finished_at)) < 5
    assert abs(seconds_from_now(cancelled.cancel_requested_at)) < 5
    assert trail(job.id)[-1] == "JOB_CANCELLED"
    assert events(job.id)[-1].metadata == {"previous_status": status}
    assert make_job(unique_key="k")


def test_a_running_job_is_asked_to_stop() -> None:
    job = make_job(Status.RUNNING)
    asked = cancel_job(job_id=job.id, actor=SYSTEM)
    assert (asked.status, asked.finished_at) == ("RUNNING", None)
    assert abs(seconds_from_now(asked.cancel_requested_at)) < 5
    assert states(job.id) == ("RUNNING", ["RUNNING"])
    assert trail(job.id)[-1] == "JOB_CANCEL_REQUESTED"
    assert events(job.id)[-1].metadata == {}


def test_asking_again_changes_nothing() -> None:
    job = make_job(Status.RUNNING)
    first = cancel_job(job_id=job.id, actor=SYSTEM)
    again = cancel_job(job_id=job.id, actor=SYSTEM, reason="really")
    assert again.cancel_requested_at == first.cancel_requested_at
    assert trail(job.id).count("JOB_CANCEL_REQUESTED") == 1


def test_the_attempt_ends_with_its_own_outcome_and_the_job_as_cancelled() -> None:
    job = make_job(Status.RUNNING)
    cancel_job(job_id=job.id, actor=SYSTEM)
    succeed(JobExecution.objects.get(job=job))
    assert states(job.id) == ("CANCELLED", ["SUCCEEDED"])
    with pytest.raises(CannotCancel):
        cancel_job(job_id=job.id, actor=SYSTEM)


@pytest.mark.parametrize("status", sorted(set(Status) - {*CANCEL.sources, Status.RUNNING}))
def test_a_job_that_has_ended_refuses(status: str) -> None:
    job = make_job(status)
    before = Job.objects.filter(pk=job.pk).values().get()
    told = trail(job.id)
    with pytest.raises(CannotCancel, match=f"is {status}") as caught:
        cancel_job(job_id=job.id, actor=SYSTEM)
    assert (caught.value.http_status, caught.value.code) == (409, "CANNOT_CANCEL")
    assert Job.objects.filter(pk=job.pk).values().get() == before
    assert trail(job.id) == told


def test_a_cancel_names_who_asked_from_where_and_why(operator: User) -> None:
    origin = Origin(ip="192.0.2.1", user_agent="agent", request_id="r-1")
    actor = Actor(
        id=operator.pk, label=operator.email, roles=frozenset({"OPERATOR"}), origin=origin
    )
    for status in (Status.PENDING, Status.RUNNING):
        job = make_job(status)
        cancel_job(job_id=job.id, actor=actor, reason="wrong customer")
        event = events(job.id)[-1]
        assert event.metadata["reason"] == "wrong customer"
        assert (event.actor_id, event.actor_label) == (operator.pk, operator.email)
        assert (event.ip_address, event.request_id) == ("192.0.2.1", "r-1")
        assert (event.target_id, event.target_label) == (job.id, job.task)


@pytest.mark.parametrize("reason", ["x" * 501, "a\x00b", "\ud800"])
def test_a_reason_that_cannot_be_kept_is_refused(reason: str) -> None:
    job = make_job()
    with pytest.raises(InvalidArguments) as caught:
        cancel_job(job_id=job.id, actor=SYSTEM, reason=reason)
    assert caught.value.field == "reason"
    assert fresh(job).status == Status.PENDING


def test_a_user_cancels_own_jobs_only(user: User, other_user: User, user_actor: Actor) -> None:
    own, foreign, nobodys = make_job(owner=user), make_job(owner=other_user), make_job()
    assert cancel_job(job_id=own.id, actor=user_actor).status == Status.CANCELLED
    for job in (foreign, nobodys):
        with pytest.raises(NotFound):
            cancel_job(job_id=job.id, actor=user_actor)
        assert fresh(job).status == Status.PENDING
        assert trail(job.id) == ["JOB_CREATED"]


def test_an_operator_cancels_everybodys_jobs(user: User, operator_actor: Actor) -> None:
    job = make_job(owner=user)
    assert cancel_job(job_id=job.id, actor=operator_actor).status == Status.CANCELLED


def test_without_a_role_nothing_is_cancelled(nobody: User, nobody_actor: Actor) -> None:
    job = make_job(owner=nobody)
    with pytest.raises(PermissionDenied):
        cancel_job(job_id=job.id, actor=nobody_actor)
    assert fresh(job).status == Status.PENDING


@pytest.mark.parametrize("job_id", [0, -1, 10**9, 2**63, 2**200])
def test_a_job_that_is_not_there_is_not_found(job_id: int) -> None:
    with pytest.raises(NotFound):
        cancel_job(job_id=job_id, actor=SYSTEM)


@pytest.mark.django_db(transaction=True)
def test_executors_hear_of_a_request_each_time_and_only_of_those() -> None:
    """Asking again is how a person repeats a hint that may have been lost."""
    running, waiting = make_job(Status.RUNNING), make_job()
    with listening(queue.CANCEL_CHANNEL) as ear:
        cancel_job(job_id=waiting.id, actor=SYSTEM)
        assert ear.heard() == []
        for _ in range(2):
            cancel_job(job_id=running.id, actor=SYSTEM)
            assert ear.heard() == [str(running.id)]
