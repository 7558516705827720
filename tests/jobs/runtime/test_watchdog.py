"""The watchdog looks at everything that would be left behind without it."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from audit import partitions
from controlplane import conf
from jobs import recovery
from jobs.lifecycle import Status
from jobs.models import Job, JobExecution, Worker
from jobs.runtime import watchdog
from jobs.runtime.watchdog import Watchdog, look, mark_silent_workers
from tests.factories import make_job, make_jobs, make_worker
from tests.jobs.reading import claim

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)


def lost(count: int) -> None:
    """Executions whose lease has run out."""
    make_jobs(count)
    claim(limit=count)
    JobExecution.objects.update(lease_expires_at=timezone.now() - SECOND)


def due(count: int) -> None:
    for _ in range(count):
        make_job(Status.SCHEDULED)
    Job.objects.filter(status=Status.SCHEDULED).update(run_after=timezone.now() - SECOND)


def test_one_look_settles_all_that_is_lost_batch_by_batch() -> None:
    lost(5)
    assert look(2) == 5
    assert not JobExecution.objects.running().exists()
    assert look(2) == 0


def test_one_look_promotes_all_that_is_due_batch_by_batch() -> None:
    due(5)
    assert look(2) == 0
    assert Job.objects.filter(status=Status.PENDING).count() == 5


def test_one_look_frees_a_job_that_waits_for_nobody() -> None:
    job = make_job(Status.BLOCKED, overlap_key="place", waits_for_key="key")
    look(2)
    job.refresh_from_db()
    assert (job.status, job.overlap_key) == (Status.PENDING, "key")


def test_what_a_look_found_is_said_and_nothing_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[tuple[str, object]] = []
    monkeypatch.setattr(watchdog, "log_event", lambda name, **facts: said.append((name, facts)))
    look(2)
    assert said == []
    lost(3)
    due(4)
    make_worker(reported_at=timezone.now() - timedelta(hours=1))
    look(2)
    assert said == [
        ("watchdog.reclaimed", {"count": 3}),
        ("watchdog.promoted", {"count": 4}),
        ("watchdog.workers_gone", {"count": 1}),
    ]


def test_a_worker_that_is_silent_for_three_reports_and_a_lease_counts_as_stopped() -> None:
    options = conf.options()
    silence = timedelta(seconds=3 * options.worker_report_seconds + options.lease_seconds)
    now = timezone.now()
    silent = make_worker(reported_at=now - silence - SECOND)
    heard = make_worker(reported_at=now - silence + 5 * SECOND)
    stopped = make_worker(reported_at=now - 2 * silence, stopped_at=now - silence)
    assert mark_silent_workers() == 1
    found = dict(Worker.objects.values_list("pk", "stopped_at"))
    assert found[silent.pk] is not None
    assert found[heard.pk] is None
    assert found[stopped.pk] == now - silence
    assert mark_silent_workers() == 0


def test_a_tick_looks_with_the_configured_batch(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"watchdog_batch": 7}
    asked: list[int] = []
    monkeypatch.setattr(watchdog, "ensure_partitions", lambda: None)

    def find_nothing(limit: int) -> int:
        asked.append(limit)
        return 0

    monkeypatch.setattr(recovery, "reclaim_expired", find_nothing)
    monkeypatch.setattr(recovery, "promote_due", find_nothing)
    assert Watchdog().tick() is None, "the next tick comes at its usual time"
    assert asked == [7, 7]


def test_partitions_are_looked_after_at_the_first_tick_and_rarely_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    clock = [1000.0]
    monkeypatch.setattr(watchdog, "ensure_partitions", lambda: made.append("once"))
    monkeypatch.setattr("jobs.runtime.watchdog.time.monotonic", lambda: clock[0])
    dog = Watchdog()
    dog.tick()
    dog.tick()
    assert len(made) == 1
    clock[0] += watchdog.PARTITION_SECONDS - 1
    dog.tick()
    assert len(made) == 1
    clock[0] += 1
    dog.tick()
    assert len(made) == 2


def test_a_tick_makes_the_next_months_partitions() -> None:
    """The real thing, once: what it makes is tested beside it."""
    Watchdog().tick()
    assert partitions.ensure_partitions() == []


def test_a_watchdog_is_a_worker_that_ticks_as_configured() -> None:
    dog = Watchdog()
    assert dog.tick_seconds == conf.options().watchdog_tick_seconds
    assert dog.report_seconds == conf.options().worker_report_seconds
    dog.report.start()
    assert Worker.objects.get(pk=dog.report.worker_id).kind == Worker.Kind.WATCHDOG
