"""Jobs come into being all or none, each with its record and at most one wake-up per queue."""

import json
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from audit.models import AuditEvent
from jobs import queue
from jobs.models import Job
from jobs.sql import JOBS_CHANNEL
from tests.concurrency import listening
from tests.factories import new_job
from tests.jobs.reading import events, seconds_from_now, trail

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def inserted(*rows: queue.NewJob) -> list[int]:
    """Insert what nothing stands in the way of."""
    ids = queue.insert(rows)
    assert None not in ids
    return [id_ for id_ in ids if id_ is not None]


def test_every_column_arrives(user: User) -> None:
    (job_id,) = inserted(
        new_job(
            task="tests.sample_app.tasks.add",
            queue="mail",
            priority=7,
            args=[1, {"b": [None, True]}],
            kwargs={"ä": "ö"},
            max_attempts=3,
            timeout_seconds=1.5,
            owner=user,
            trigger="api",
            trigger_id=9,
            unique_key="u",
            overlap_key="o",
            idempotency_key="i",
            isolated=True,
        )
    )
    job = Job.objects.get(pk=job_id)
    assert (job.task, job.queue, job.priority) == ("tests.sample_app.tasks.add", "mail", 7)
    assert (job.args, job.kwargs) == ([1, {"b": [None, True]}], {"ä": "ö"})
    assert (job.max_attempts, job.timeout_seconds, job.owner_id) == (3, 1.5, user.pk)
    assert (job.trigger, job.trigger_id) == ("api", 9)
    assert (job.unique_key, job.overlap_key, job.idempotency_key) == ("u", "o", "i")
    assert (job.isolated, job.suspect, job.status, job.reason) == (True, False, "PENDING", "")
    assert (job.executions_made, job.attempts_charged, job.crashes_alone) == (0, 0, 0)
    assert job.finished_at is job.run_after is job.cancel_requested_at is None


def test_the_ids_come_back_in_the_order_of_the_rows() -> None:
    ids = inserted(*(new_job(args=[number]) for number in range(50)))
    found = dict(Job.objects.values_list("id", "args"))
    assert [found[id_] for id_ in ids] == [[number] for number in range(50)]
    assert ids == sorted(ids)


def test_rows_with_keys_keep_their_order_though_they_go_in_by_key() -> None:
    ids = inserted(*(new_job(args=[n], unique_key=f"k{9 - n}") for n in range(9)))
    found = dict(Job.objects.values_list("id", "args"))
    assert [found[id_] for id_ in ids] == [[number] for number in range(9)]
    assert list(AuditEvent.objects.order_by("id").values_list("target_id", flat=True)) == ids


def test_a_row_whose_key_is_held_gives_none_and_the_others_their_ids() -> None:
    (held,) = inserted(new_job(unique_key="held"))
    ids = queue.insert(
        [
            new_job(args=["first"]),
            new_job(unique_key="held"),
            new_job(unique_key="free", args=["third"]),
            new_job(unique_key="free"),
            new_job(args=["last"]),
        ]
    )
    assert [id_ is None for id_ in ids] == [False, True, False, True, False]
    found = dict(Job.objects.values_list("id", "args"))
    assert [found[id_] for id_ in ids if id_ is not None] == [["first"], ["third"], ["last"]]
    assert AuditEvent.objects.count() == Job.objects.count() == 4
    assert held not in ids


@pytest.mark.parametrize("key", ["unique_key", "overlap_key", "idempotency_key"])
def test_each_kind_of_key_is_held_by_one_job(key: str) -> None:
    assert queue.insert([new_job(**{key: "k"}), new_job(**{key: "k"})])[1] is None


def test_more_rows_than_one_statement_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "INSERT_CHUNK", 3)
    ids = inserted(*(new_job(args=[number]) for number in range(8)))
    found = dict(Job.objects.values_list("id", "args"))
    assert [found[id_] for id_ in ids] == [[number] for number in range(8)]
    assert AuditEvent.objects.count() == 8


def test_no_rows_are_no_trouble() -> None:
    assert queue.insert([]) == []


def test_a_job_for_later_waits_for_its_time() -> None:
    due = timezone.now() + HOUR
    (later, at_once) = inserted(new_job(run_after=due), new_job(run_after=due - 2 * HOUR))
    job = Job.objects.get(pk=later)
    assert (job.status, job.run_after, job.queued_at) == ("SCHEDULED", due, None)
    job = Job.objects.get(pk=at_once)
    assert (job.status, job.run_after) == ("PENDING", None)
    assert abs(seconds_from_now(job.queued_at)) < 60


def test_each_new_job_is_recorded() -> None:
    (job_id,) = inserted(new_job())
    assert trail(job_id) == ["JOB_CREATED"]
    (event,) = events(job_id)
    assert (event.target_label, event.metadata) == ("tests.sample_app.tasks.noop", {})
    assert (event.actor_id, event.actor_label) == (None, "")


@pytest.mark.django_db(transaction=True)
def test_executors_are_woken_once_per_queue_and_only_by_a_commit() -> None:
    with listening(JOBS_CHANNEL) as ear:
        with transaction.atomic():
            queue.insert([new_job(queue="a"), new_job(queue="b"), new_job(queue="a")])
            assert ear.heard() == []
        assert sorted(ear.heard()) == ["a", "b"]


@pytest.mark.django_db(transaction=True)
def test_a_rollback_leaves_no_job_no_record_and_no_wake_up() -> None:
    with listening(JOBS_CHANNEL) as ear:
        with pytest.raises(RuntimeError), transaction.atomic():
            queue.insert([new_job()])
            raise RuntimeError
        assert ear.heard() == []
    assert not Job.objects.exists()
    assert not AuditEvent.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_bad_rows_of_a_later_statement_undo_the_earlier_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(queue, "INSERT_CHUNK", 1)
    with pytest.raises(Exception, match="job_priority_in_range"):
        queue.insert([new_job(), new_job(priority=999)])
    assert not Job.objects.exists()


def test_arguments_are_stored_as_they_are() -> None:
    value = {"deep": [[[{"x": 1.5}]]], "text": "äöü \U0001f600", "none": None, "big": 2**70}
    (job_id,) = inserted(new_job(kwargs=value))
    assert Job.objects.get(pk=job_id).kwargs == json.loads(json.dumps(value))
