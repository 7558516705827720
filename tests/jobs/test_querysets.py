from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from controlplane.actors import SYSTEM
from jobs.actions.cancel import cancel_job
from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution, Queue, Worker
from tests.factories import make_job, make_odd_execution, make_worker

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)


@pytest.mark.usefixtures("unaided")
def test_claimable_is_pending_only_and_in_the_order_of_the_claim() -> None:
    for status in set(Status) - {Status.PENDING}:
        make_job(status)
    now = timezone.now()
    low = make_job(priority=-1, queued_at=now - HOUR)
    young = make_job(queued_at=now)
    twins = [make_job(queued_at=now - SECOND) for _ in range(2)]
    high = make_job(priority=1, queued_at=now)
    Job.objects.filter(pk=twins[0].pk).update(reason="now it lies behind the others")
    assert list(Job.objects.claimable()) == [high, *twins, young, low]


@pytest.mark.usefixtures("unaided")
def test_ahead_of_a_job_is_what_a_claim_takes_before_it() -> None:
    now = timezone.now()
    urgent = make_job(priority=1, queued_at=now + HOUR)
    older = make_job(queued_at=now - HOUR)
    twins = [make_job(queued_at=now) for _ in range(3)]
    make_job(queued_at=now + HOUR)
    make_job(priority=-1, queued_at=now - HOUR)
    make_job(queue="other", queued_at=now - HOUR)
    make_job(isolated=True, queued_at=now - HOUR)
    make_job(Status.RUNNING)
    assert list(Job.objects.ahead_of(twins[1])) == [urgent, older, twins[0]]
    assert list(Job.objects.ahead_of(urgent)) == []


def test_behind_a_place_is_the_rest_of_its_priority() -> None:
    now = timezone.now()
    twins = [make_job(queued_at=now) for _ in range(3)]
    younger = make_job(queued_at=now + SECOND)
    make_job(queued_at=now - SECOND)
    make_job(priority=1, queued_at=now + HOUR)
    make_job(priority=-1, queued_at=now + HOUR)
    place = (0, now, twins[0].id)
    assert list(Job.objects.behind(*place).order_by("id")) == [*twins[1:], younger]


def test_due_is_what_waited_for_a_time_that_has_come() -> None:
    for status in set(Status) - {Status.SCHEDULED, Status.FAILED}:
        make_job(status)
    due = {make_job(status, run_after=timezone.now() + HOUR) for status in ("SCHEDULED", "FAILED")}
    assert not Job.objects.due().exists()
    Job.objects.filter(pk__in=[job.pk for job in due]).update(run_after=Now() - SECOND)
    assert set(Job.objects.due()) == due


def test_what_waits_for_a_key_is_blocked_and_no_more_once_it_is_cancelled() -> None:
    make_job(Status.BLOCKED)
    waiting, cancelled = (make_job(waits_for_key=key) for key in ("a", "b"))
    cancel_job(job_id=cancelled.id, actor=SYSTEM)
    assert list(Job.objects.waiting_for_key()) == [waiting]


def test_unfinished_is_what_the_machine_still_has_to_do() -> None:
    states = {make_job(status).status for status in Status}
    found = set(Job.objects.unfinished().values_list("status", flat=True))
    assert states - found == {"SUCCEEDED", "CANCELLED", "DEAD_LETTER", "NEEDS_VERIFICATION"}


def test_an_execution_is_held_by_its_worker_while_it_runs() -> None:
    job = make_job()
    mine = make_odd_execution(job, number=1, worker_id=1)
    for number, outcome in enumerate(sorted(set(Outcome) - {Outcome.RUNNING}), start=2):
        make_odd_execution(job, number=number, worker_id=1, status=outcome)
    make_odd_execution(make_job(), worker_id=2)
    assert list(JobExecution.objects.held_by(1)) == [mine]
    assert JobExecution.objects.running().count() == 2


def test_an_execution_is_expired_when_it_runs_beyond_its_lease() -> None:
    past = timezone.now() - SECOND
    lost = make_odd_execution(make_job(), lease_expires_at=past)
    make_odd_execution(make_job(), lease_expires_at=past, status=Outcome.FAILED)
    make_odd_execution(make_job(), lease_expires_at=timezone.now() + HOUR)
    assert list(JobExecution.objects.expired()) == [lost]


def test_a_queue_is_paused_until_resumed_or_until_its_time() -> None:
    now = timezone.now()
    Queue.objects.create(name="open")
    Queue.objects.create(name="for ever", paused_at=now)
    Queue.objects.create(name="for an hour", paused_at=now, paused_until=now + HOUR)
    Queue.objects.create(name="over", paused_at=now - HOUR, paused_until=now - SECOND)
    assert set(Queue.objects.paused().values_list("name", flat=True)) == {"for ever", "for an hour"}


def test_a_worker_lives_while_it_is_heard_of() -> None:
    now = timezone.now()
    heard = make_worker(reported_at=now - timedelta(seconds=40))
    make_worker(reported_at=now - timedelta(seconds=50))
    make_worker(stopped_at=now)
    assert list(Worker.objects.live()) == [heard]


def test_a_worker_serves_the_queues_it_names_or_all() -> None:
    of_all, of_mail = make_worker(), make_worker(queues=["urgent", "mail"])
    make_worker(queues=["mailing"])
    assert set(Worker.objects.serving("mail")) == {of_all, of_mail}


def test_a_worker_knows_the_tasks_it_told_of() -> None:
    knows = make_worker(tasks=["app.tasks.a", "app.tasks.b"])
    make_worker(tasks=["app.tasks.ab"])
    make_worker()
    assert list(Worker.objects.knowing("app.tasks.a")) == [knows]
