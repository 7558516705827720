import os
import socket
from datetime import timedelta
from importlib.metadata import PackageNotFoundError

import pytest
from django.utils import timezone

from jobs import workers
from jobs.models import Worker
from jobs.workers import WorkerReport
from tests.jobs.reading import seconds_from_now

pytestmark = pytest.mark.django_db


def row(report: WorkerReport) -> Worker:
    return Worker.objects.get(pk=report.worker_id)


def test_a_process_makes_itself_known() -> None:
    report = WorkerReport("executor", queues=("mail",), tasks=("a.b",), slots=7)
    assert report.worker_id == 0
    report.start()
    worker = row(report)
    assert (worker.kind, worker.host, worker.pid) == ("executor", socket.gethostname(), os.getpid())
    assert (worker.queues, worker.tasks, worker.slots) == (["mail"], ["a.b"], 7)
    assert abs(seconds_from_now(worker.started_at)) < 5
    assert worker.stopped_at is None
    assert list(Worker.objects.live()) == [worker]


def test_a_restart_is_another_worker() -> None:
    report = WorkerReport("scheduler")
    report.start()
    first = report.worker_id
    report.start()
    assert report.worker_id > first
    assert Worker.objects.count() == 2


def test_a_report_refreshes_its_own_row_only() -> None:
    report, other = WorkerReport("executor"), WorkerReport("executor")
    report.start()
    other.start()
    long_ago = timezone.now() - timedelta(hours=1)
    Worker.objects.update(reported_at=long_ago)
    report.refresh()
    assert abs(seconds_from_now(row(report).reported_at)) < 5
    assert row(other).reported_at == long_ago


def test_a_worker_that_was_given_up_too_early_comes_back_by_its_report() -> None:
    report = WorkerReport("executor")
    report.start()
    Worker.objects.update(stopped_at=timezone.now())
    report.refresh()
    assert row(report).stopped_at is None


def test_an_end_is_told() -> None:
    report = WorkerReport("watchdog")
    report.start()
    report.stop()
    assert abs(seconds_from_now(row(report).stopped_at)) < 5
    assert not Worker.objects.live().exists()


def test_a_checkout_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(workers, "version", missing)
    report = WorkerReport("executor")
    report.start()
    assert row(report).version == ""


def test_an_installation_tells_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "version", lambda name: f"1.2.3 of {name}")
    report = WorkerReport("executor")
    report.start()
    assert row(report).version == "1.2.3 of controlplane"
