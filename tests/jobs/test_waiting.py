"""Jobs behind a key go on one by one, in the transaction that ends its holder, however it ends."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from audit.models import AuditEvent
from controlplane.actors import SYSTEM
from jobs import lifecycle
from jobs.actions.cancel import cancel_job
from jobs.actions.retry import retry_job
from jobs.errors import KeyTaken
from jobs.lifecycle import Outcome, Status
from jobs.models import Job
from jobs.recovery import unblock_stranded
from jobs.settlement import Fate
from jobs.sql import JOBS_CHANNEL
from jobs.waiting import release
from tests.concurrency import Meanwhile, Paused, listening
from tests.factories import claim, fail, make_job, make_worker, succeed

pytestmark = pytest.mark.django_db


def holder(status: str = Status.PENDING) -> Job:
    return make_job(status, overlap_key="key")


def waiting(place: str = "next", **columns: Any) -> Job:
    return make_job(Status.BLOCKED, overlap_key=place, waits_for_key="key", **columns)


def state_of(job: Job) -> tuple[str, str | None, str | None]:
    job.refresh_from_db()
    return job.status, job.overlap_key, job.waits_for_key


def by_success(job: Job) -> None:
    succeed(claim(job.id, make_worker()))


def by_giving_up(job: Job) -> None:
    fail(claim(job.id, make_worker()), outcome=Outcome.FAILED, fate=Fate.GIVE_UP)


def by_doubt(job: Job) -> None:
    fail(claim(job.id, make_worker()), outcome=Outcome.INTERRUPTED, fate=Fate.VERIFY)


def by_cancel(job: Job) -> None:
    cancel_job(job_id=job.id, actor=SYSTEM)


def by_cancel_while_running(job: Job) -> None:
    execution = claim(job.id, make_worker())
    cancel_job(job_id=job.id, actor=SYSTEM)
    fail(execution, outcome=Outcome.CANCELLED, fate=Fate.TRY_AGAIN)


def by_success_after_a_cancel(job: Job) -> None:
    execution = claim(job.id, make_worker())
    cancel_job(job_id=job.id, actor=SYSTEM)
    succeed(execution)


ENDS = [
    by_success,
    by_giving_up,
    by_doubt,
    by_cancel,
    by_cancel_while_running,
    by_success_after_a_cancel,
]


@pytest.mark.parametrize("end", ENDS)
def test_whatever_ends_the_holder_the_next_takes_the_key_over(end: Callable[[Job], None]) -> None:
    first, second = holder(), waiting()
    end(first)
    assert state_of(second) == (Status.PENDING, "key", None)
    assert second.queued_at is not None
    event = AuditEvent.objects.get(event_type="JOB_UNBLOCKED")
    assert (event.target_id, event.actor_id) == (second.id, None)


def test_a_holder_that_rests_until_its_next_attempt_still_holds() -> None:
    first, second = holder(), waiting()
    fail(claim(first.id, make_worker()), outcome=Outcome.FAILED, fate=Fate.TRY_AGAIN)
    assert state_of(first)[0] == Status.FAILED
    assert state_of(second) == (Status.BLOCKED, "next", "key")


def test_they_go_on_one_at_a_time_in_the_order_of_their_ids() -> None:
    first = holder()
    line = [waiting(f"place {number}") for number in range(3)]
    order = [first]
    while order[-1].status != Status.SUCCEEDED:
        by_success(order[-1])
        order[-1].refresh_from_db()
        pending = Job.objects.filter(status=Status.PENDING).first()
        if pending is not None:
            order.append(pending)
            assert Job.objects.filter(overlap_key="key", status=Status.PENDING).count() == 1
    assert order == [first, *line]


def test_one_that_is_cancelled_while_it_waits_leaves_its_place() -> None:
    first, second, third = holder(), waiting("a"), waiting("b")
    cancel_job(job_id=second.id, actor=SYSTEM)
    assert state_of(third)[0] == Status.BLOCKED
    waiting("a")
    by_success(first)
    assert state_of(second)[0] == Status.CANCELLED
    assert state_of(third)[0] == Status.PENDING


def test_a_retry_of_what_held_the_key_before_is_refused() -> None:
    first, second = holder(), waiting()
    by_giving_up(first)
    assert state_of(second)[0] == Status.PENDING
    with pytest.raises(KeyTaken):
        retry_job(job_id=first.id, actor=SYSTEM)


def test_other_keys_and_jobs_blocked_for_other_reasons_stay() -> None:
    other = make_job(Status.BLOCKED)
    behind_another = make_job(Status.BLOCKED, overlap_key="x", waits_for_key="other key")
    assert release(["key", None]) == set()
    unblock_stranded(0)
    assert state_of(other)[0] == state_of(behind_another)[0] == Status.BLOCKED


def test_releasing_a_key_that_is_held_changes_nothing() -> None:
    holder()
    second = waiting()
    assert release(["key"]) == set()
    unblock_stranded(10)
    assert state_of(second)[0] == Status.BLOCKED


def test_the_stranded_go_on_one_for_each_key() -> None:
    first, second = waiting("a"), waiting("b")
    other = make_job(Status.BLOCKED, overlap_key="c", waits_for_key="other key")
    unblock_stranded(1)
    assert [state_of(job)[0] for job in (first, second, other)] == ["PENDING", "BLOCKED", "PENDING"]


@pytest.mark.parametrize("status", [Status.PENDING, Status.RUNNING, Status.SUCCEEDED])
def test_the_database_lets_nobody_wait_who_is_not_blocked(status: str) -> None:
    job = make_job(status)
    with pytest.raises(IntegrityError, match="job_waits_for_key"), transaction.atomic():
        Job.objects.filter(id=job.id).update(waits_for_key="key")


@pytest.mark.django_db(transaction=True)
def test_executors_hear_of_a_released_job() -> None:
    first = holder()
    waiting(queue="slow")
    with listening(JOBS_CHANNEL) as ear:
        by_cancel(first)
        assert "slow" in ear.heard()


@pytest.mark.django_db(transaction=True)
def test_a_cancel_at_the_same_moment_makes_it_the_next_ones_turn() -> None:
    first, second, third = holder(), waiting("a"), waiting("b")
    cancel = Paused(lambda: cancel_job(job_id=second.id, actor=SYSTEM))
    end = Meanwhile(lambda: by_cancel(first))
    end.wait_until_blocked()
    cancel.commit()
    end.result()
    assert state_of(second)[0] == Status.CANCELLED
    assert state_of(third) == (Status.PENDING, "key", None)


@pytest.mark.django_db(transaction=True)
def test_an_end_that_is_rolled_back_releases_nobody() -> None:
    first, second = holder(), waiting()
    with pytest.raises(RuntimeError), transaction.atomic():
        by_cancel(first)
        assert state_of(second)[0] == Status.PENDING
        raise RuntimeError
    assert (state_of(first)[0], state_of(second)[0]) == (Status.PENDING, Status.BLOCKED)


def test_unblocking_is_the_lifecycles_own_transition() -> None:
    second = waiting()
    release(["key"])
    assert lifecycle.UNBLOCK.target == state_of(second)[0]
