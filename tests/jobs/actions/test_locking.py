import pytest
from django.db import transaction

from accounts.models import User
from controlplane.actors import SYSTEM, Actor
from controlplane.errors import NotFound, PermissionDenied
from jobs.actions.locking import lock_job
from jobs.models import Job
from tests.concurrency import Meanwhile
from tests.factories import make_job
from tests.jobs.reading import claim

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_a_locked_job_is_nobody_elses_until_the_end() -> None:
    job = make_job()
    with transaction.atomic():
        assert lock_job(job.id, actor=SYSTEM) == job
        assert Meanwhile(claim).result() == [], "a claim does not wait for it"
    assert len(claim()) == 1


@pytest.mark.django_db(transaction=True)
def test_a_lock_waits_for_another() -> None:
    job = make_job()

    def lock() -> Job:
        with transaction.atomic():
            return lock_job(job.id, actor=SYSTEM)

    with transaction.atomic():
        lock_job(job.id, actor=SYSTEM)
        waiting = Meanwhile(lock)
        waiting.wait_until_blocked()
        Job.objects.update(reason="changed")
    assert waiting.result().reason == "changed"


def test_a_job_of_somebody_else_looks_as_if_it_did_not_exist(
    other_user: User, user_actor: Actor
) -> None:
    job = make_job(owner=other_user)
    with pytest.raises(NotFound) as hidden:
        lock_job(job.id, actor=user_actor)
    with pytest.raises(NotFound) as missing:
        lock_job(job.id + 1, actor=user_actor)
    assert hidden.value.message == missing.value.message.replace(str(job.id + 1), str(job.id))


def test_an_own_job_without_a_role_is_seen_and_not_touched(
    nobody: User, nobody_actor: Actor
) -> None:
    with pytest.raises(PermissionDenied):
        lock_job(make_job(owner=nobody).id, actor=nobody_actor)
