"""Executors that are told to stop twice, in the middle of --once, or not at all."""

from pathlib import Path

import psutil
import pytest
from django.db.models import Count

from jobs.lifecycle import Outcome, Status
from jobs.models import Job
from tests.conftest import StartCommand
from tests.processes.jobs import enqueue, enqueue_with, executions_of, wait_for
from tests.sample_app import tasks
from tests.sample_app.witness import testimony
from tests.waiting import wait_until

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]


def gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_a_second_signal_ends_it_without_grace_and_its_children_with_it(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    never = str(tmp_path / "never")
    in_thread = enqueue(tasks.hears_nothing, until=never)
    in_child = enqueue_with(
        tasks.ignores_sigterm, {"timeout_seconds": 600}, witness=witness, until=never
    )
    executor = start_command("runexecutor", options={"shutdown_grace_seconds": 600.0})
    wait_until(lambda: len(testimony(witness)) == 2, what="a start", explain=executor.log)
    wait_for(in_thread, Status.RUNNING, executor)
    executor.terminate()
    executor.wait_for_log("draining: 2 running")
    assert executor.is_running
    executor.terminate()
    assert executor.wait() == 0
    for job_id in (in_thread, in_child):
        (execution,) = executions_of(job_id)
        assert (execution.status, execution.error_code) == (Outcome.INTERRUPTED, "shutdown")
    pids = [int(line.split()[1]) for line in testimony(witness)]
    wait_until(lambda: all(gone(pid) for pid in pids), what="the end of the children")


def test_a_signal_ends_once_after_what_runs(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    until = tmp_path / "go"
    for _ in range(5):
        enqueue(tasks.slow, until=str(until), witness=witness)
    executor = start_command("runexecutor", "--once", "--threads", "1")
    wait_until(lambda: testimony(witness), what="a start", explain=executor.log)
    executor.terminate()
    executor.wait_for_log("stopping: SIGTERM")
    until.touch()
    assert executor.wait() == 0
    by_status = dict(Job.objects.values_list("status").annotate(n=Count("id")))
    assert by_status == {Status.SUCCEEDED: 1, Status.PENDING: 4}


def test_a_fork_that_outlives_its_executor_does_not_hide_the_death(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    """It holds open whatever the executor had open, the keeper's line too."""
    until = tmp_path / "go"
    job_id = enqueue(tasks.forks_and_stays, witness=witness, until=str(until))
    long = {"lease_seconds": 600.0, "lease_renewal_seconds": 1.0}
    executor = start_command("runexecutor", options=long)
    wait_until(lambda: testimony(witness), what="a fork", explain=executor.log)
    executor.kill()
    wait_for(job_id, Status.FAILED, executor)
    (execution,) = executions_of(job_id)
    assert (execution.error_code, execution.charged) == ("executor_died", True)
    until.touch()
