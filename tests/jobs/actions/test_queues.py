"""A queue is paused: its jobs wait, running ones go on, until it is resumed or its time comes."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from audit.models import AuditEvent
from controlplane.actors import SYSTEM, Actor
from controlplane.errors import PermissionDenied
from jobs import queue
from jobs.actions.queues import pause_queue, resume_queue
from jobs.errors import InvalidArguments
from jobs.lifecycle import Status
from jobs.models import Job, Queue
from jobs.sql import JOBS_CHANNEL
from tests.concurrency import listening
from tests.factories import make_job
from tests.jobs.reading import seconds_from_now

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def pause(name: str = "mail", **how: Any) -> Queue:
    defaults: dict[str, Any] = {"actor": SYSTEM, "reason": ""}
    return pause_queue(name=name, **(defaults | how))


def test_a_paused_queue_says_who_when_and_why(operator_actor: Actor) -> None:
    until = timezone.now() + HOUR
    row = pause(actor=operator_actor, reason="provider is down", until=until)
    assert (row.name, row.paused_by) == ("mail", "operator@example.com")
    assert (row.pause_reason, row.paused_until) == ("provider is down", until)
    assert abs(seconds_from_now(row.paused_at)) < 5
    event = AuditEvent.objects.get()
    assert (event.event_type, event.target_type) == ("QUEUE_PAUSED", "queue")
    assert (event.target_id, event.target_label) == (row.id, "mail")
    assert event.metadata == {"reason": "provider is down", "until": until.isoformat()}
    assert event.actor_id == operator_actor.id


def test_jobs_of_a_paused_queue_wait_and_running_ones_go_on() -> None:
    running = make_job(Status.RUNNING, queue="mail")
    make_job(queue="mail")
    make_job(queue="other")
    pause()
    assert queue.pending_queues() == ["other"]
    assert Job.objects.get(pk=running.id).status == Status.RUNNING
    resume_queue(name="mail", actor=SYSTEM)
    assert queue.pending_queues() == ["mail", "other"]


def test_pausing_again_tells_the_newest_reason() -> None:
    first = pause(reason="one", until=timezone.now() + HOUR)
    second = pause(reason="two")
    assert first.id == second.id
    assert (second.pause_reason, second.paused_until) == ("two", None)
    assert AuditEvent.objects.count() == 2


def test_a_resumed_queue_forgets_the_pause() -> None:
    pause(reason="one", until=timezone.now() + HOUR)
    resume_queue(name="mail", actor=SYSTEM)
    row = Queue.objects.get()
    assert row.paused_at is row.paused_until is None
    assert row.paused_by == row.pause_reason == ""
    event = AuditEvent.objects.order_by("-id")[0]
    assert (event.event_type, event.target_id, event.target_label) == (
        "QUEUE_RESUMED",
        row.id,
        "mail",
    )


@pytest.mark.parametrize("name", ["mail", "unknown"])
def test_resuming_what_is_not_paused_does_nothing(name: str) -> None:
    Queue.objects.create(name="mail")
    pause("other")
    resume_queue(name=name, actor=SYSTEM)
    assert list(AuditEvent.objects.values_list("event_type", flat=True)) == ["QUEUE_PAUSED"]
    assert list(Queue.objects.paused().values_list("name", flat=True)) == ["other"]


@pytest.mark.django_db(transaction=True)
def test_executors_are_woken_when_a_queue_goes_on() -> None:
    pause()
    with listening(JOBS_CHANNEL) as ear:
        resume_queue(name="unknown", actor=SYSTEM)
        assert ear.heard() == []
        resume_queue(name="mail", actor=SYSTEM)
        assert ear.heard() == ["mail"]


@pytest.mark.parametrize("name", ["", "q" * 101, "q\x00", "\ud800"])
def test_a_name_that_no_queue_can_have_is_refused(name: str) -> None:
    for action in (lambda: pause(name), lambda: resume_queue(name=name, actor=SYSTEM)):
        with pytest.raises(InvalidArguments) as caught:
            action()
        assert caught.value.field == "name"


@pytest.mark.parametrize("reason", ["r" * 256, "\x00"])
def test_a_reason_that_cannot_be_kept_is_refused(reason: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        pause(reason=reason)
    assert caught.value.field == "reason"
    assert not Queue.objects.exists()


def test_an_end_that_is_no_time_to_come_is_refused() -> None:
    for until in (timezone.now() - HOUR, datetime(2999, 1, 1)):
        with pytest.raises(InvalidArguments, match="time to come") as caught:
            pause(until=until)
        assert caught.value.field == "until"


def test_a_long_name_of_a_person_does_not_stand_in_the_way() -> None:
    actor = Actor(id=1, label="x" * 300, roles=frozenset({"ADMIN"}))
    assert pause(actor=actor).paused_by == "x" * 150


@pytest.mark.parametrize("who", ["user_actor", "nobody_actor"])
def test_only_operators_and_admins_pause_and_resume(
    who: str, request: pytest.FixtureRequest
) -> None:
    actor = request.getfixturevalue(who)
    with pytest.raises(PermissionDenied):
        pause(actor=actor)
    pause()
    with pytest.raises(PermissionDenied):
        resume_queue(name="mail", actor=actor)
    assert Queue.objects.paused().exists()
