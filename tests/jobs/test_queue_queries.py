"""What is read about queues and workers."""

from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane.actors import Actor
from controlplane.errors import PermissionDenied
from jobs import queue_queries
from jobs.actions.queues import pause_queue
from jobs.models import Queue
from tests.factories import make_jobs, make_worker


def named(actor: Actor, name: str) -> queue_queries.ListedQueue:
    return next(queue for queue in queue_queries.queues(actor) if queue.name == name)


def test_queues_of_settings_workers_and_tasks_are_listed(operator_actor: Actor) -> None:
    make_worker(queues=["by-worker"])
    pause_queue(name="by-settings", actor=operator_actor, reason="move")
    names = [queue.name for queue in queue_queries.queues(operator_actor)]
    assert {"by-worker", "by-settings", "default"} <= set(names)
    assert names == sorted(names)


def test_a_queue_says_how_much_waits_and_why_it_rests(operator_actor: Actor) -> None:
    make_jobs(3, queue="mail")
    pause_queue(name="mail", actor=operator_actor, reason="move")
    queue = named(operator_actor, "mail")
    assert (queue.pending, queue.is_paused, queue.pause_reason) == (3, True, "move")
    assert queue.paused_by == operator_actor.label


def test_counting_stops(operator_actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_queries, "COUNT_LIMIT", 2)
    make_jobs(5)
    assert named(operator_actor, "default").pending == 3


def test_a_pause_that_is_over_does_not_count(operator_actor: Actor) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Queue.objects.create(name="mail", paused_at=past, paused_until=past)
    assert not named(operator_actor, "mail").is_paused


def test_workers_are_all_or_those_alive(operator_actor: Actor) -> None:
    alive, gone = make_worker(), make_worker(stopped_at=timezone.now())
    assert set(queue_queries.workers(operator_actor, live_only=False)) == {alive, gone}
    assert set(queue_queries.workers(operator_actor, live_only=True)) == {alive}


def test_who_sees_only_their_own_jobs_sees_neither(user_actor: Actor) -> None:
    with pytest.raises(PermissionDenied):
        queue_queries.queues(user_actor)
    with pytest.raises(PermissionDenied):
        queue_queries.workers(user_actor, live_only=True)
