"""Watchdogs as real processes, two at once too, and what systemd hears of every process."""

import socket
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from audit.models import AuditEvent
from audit.vocabulary import EventType
from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution, Worker
from tests.conftest import StartCommand
from tests.factories import make_job, make_jobs, make_worker
from tests.jobs.reading import claim, fresh
from tests.processes.jobs import wait_for
from tests.waiting import wait_until

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]

LOST = 300


def test_two_watchdogs_at_once_settle_each_lost_lease_once(start_command: StartCommand) -> None:
    make_jobs(LOST)
    claim(make_worker().pk, limit=LOST)
    past = timezone.now() - timedelta(seconds=1)
    JobExecution.objects.update(lease_expires_at=past)
    due = make_job(Status.SCHEDULED, run_after=timezone.now() + timedelta(hours=1)).pk
    Job.objects.filter(pk=due).update(run_after=past)
    silent = make_worker(reported_at=timezone.now() - timedelta(hours=1))

    small = {"watchdog_batch": 20}
    dogs = [start_command("runwatchdog", "--once", options=small) for _ in range(2)]
    assert [dog.wait() for dog in dogs] == [0, 0], "".join(dog.log() for dog in dogs)

    assert JobExecution.objects.filter(status=Outcome.INTERRUPTED).count() == LOST
    assert Job.objects.filter(status=Status.PENDING).count() == LOST + 1
    handed_back = AuditEvent.objects.filter(event_type=EventType.JOB_HANDED_BACK)
    assert handed_back.count() == LOST
    became_due = AuditEvent.objects.filter(event_type=EventType.JOB_DUE, target_id=due)
    assert became_due.count() == 1
    assert fresh(silent).stopped_at is not None
    own = Worker.objects.filter(kind=Worker.Kind.WATCHDOG)
    assert own.count() == 2
    assert not own.filter(stopped_at=None).exists(), "both said that they ended"


def test_a_watchdog_goes_on_until_it_is_told_to_end(start_command: StartCommand) -> None:
    dog = start_command("runwatchdog")
    dog.wait_for_log("watchdog started")
    job_id = make_job(Status.SCHEDULED, run_after=timezone.now() + timedelta(seconds=0.2)).pk
    wait_for(job_id, Status.PENDING, dog)
    dog.terminate()
    assert dog.wait() == 0


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """The socket on which systemd listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(20)
        yield manager


@pytest.mark.parametrize("command", ["runexecutor", "runwatchdog", "runscheduler"])
def test_systemd_hears_ready_alive_and_stopping(
    start_command: StartCommand, manager: socket.socket, command: str
) -> None:
    process = start_command(command, environment={"NOTIFY_SOCKET": manager.getsockname()})
    assert manager.recv(100) == b"READY=1"
    assert "started (worker" in process.log()
    assert [manager.recv(100) for _ in range(3)] == [b"WATCHDOG=1"] * 3
    process.terminate()
    heard = wait_until(lambda: manager.recv(100) != b"WATCHDOG=1", what="the last word")
    assert heard
    assert process.wait() == 0
    manager.setblocking(False)
    with pytest.raises(BlockingIOError):
        manager.recv(100)
