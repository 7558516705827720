"""Connections that end under an executor: work goes on, results are kept, nothing restarts."""

from collections import Counter
from pathlib import Path

import pytest
from django.db import connection
from django.db.models import Count

from controlplane.actors import SYSTEM
from jobs.actions.enqueue import JobRequest, enqueue_many
from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution, Worker
from tests.conftest import StartCommand
from tests.processes.jobs import enqueue, executions_of, still_works, wait_for
from tests.sample_app import tasks
from tests.sample_app.witness import testimony
from tests.waiting import stays, wait_until

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]

OTHERS = "datname = current_database() AND pid <> pg_backend_pid()"
LISTENERS = f"{OTHERS} AND application_name = 'controlplane listener'"


def end_connections(where: str = OTHERS) -> int:
    """What a restart of the server, a failover or a pooler does to all of them at once."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE {where}"
        )
        return int(cursor.fetchone()[0])


def listeners() -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM pg_stat_activity WHERE {LISTENERS}")
        return int(cursor.fetchone()[0])


def test_a_task_that_runs_meanwhile_keeps_its_result(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    until = tmp_path / "go"
    in_thread = enqueue(tasks.slow, until=str(until), witness=witness)
    in_child = enqueue(tasks.slow_in_child, until=str(until), witness=witness)
    executor = start_command("runexecutor")
    wait_until(lambda: len(testimony(witness)) == 2, what="two starts", explain=executor.log)
    assert end_connections() >= 3
    until.touch()
    for job_id in (in_thread, in_child):
        wait_for(job_id, Status.SUCCEEDED, executor)
        (execution,) = executions_of(job_id)
        assert (execution.status, execution.result) == (Outcome.SUCCEEDED, "finished")
    still_works(executor)
    assert Worker.objects.count() == 1, "it is still the same worker"


def test_a_lost_listener_comes_back_and_so_do_quick_starts(start_command: StartCommand) -> None:
    slow_poll = {"executor_tick_seconds": 60.0}
    executor = start_command("runexecutor", options=slow_poll)
    first = enqueue(tasks.noop)
    wait_for(first, Status.SUCCEEDED, executor)
    assert end_connections(LISTENERS) == 1
    missed = enqueue(tasks.noop)
    wait_for(missed, Status.SUCCEEDED, executor)
    wait_until(lambda: listeners() == 1, what="a listener again", explain=executor.log)
    wait_for(enqueue(tasks.noop), Status.SUCCEEDED, executor, timeout=10)


def test_connections_that_end_all_the_time_cost_at_most_one_more_attempt_each(
    start_command: StartCommand, witness: str
) -> None:
    executor = start_command("runexecutor")
    start_command("runwatchdog")  # for a claim of which the executor never heard
    executor.wait_for_log("executor started")
    requests = [JobRequest(task=tasks.identify, kwargs={"witness": witness}) for _ in range(200)]
    enqueue_many(requests[:100], actor=SYSTEM)
    ended = 0

    def end_them_again() -> bool:
        nonlocal ended
        ended += end_connections()
        return True

    stays(end_them_again, seconds=1.5)
    enqueue_many(requests[100:], actor=SYSTEM)
    stays(end_them_again, seconds=1.5)
    wait_until(
        lambda: Job.objects.filter(status=Status.SUCCEEDED).count() == 200,
        timeout=40,
        what="200 successes",
        explain=lambda: f"{Counter(Job.objects.values_list('status', flat=True))}{executor.log()}",
    )
    assert ended > 10
    runs = Counter(line.split()[0] for line in testimony(witness))
    assert len(runs) == 200
    assert max(runs.values()) <= 2
    charged = JobExecution.objects.filter(charged=True).values("job").annotate(n=Count("id"))
    assert max(row["n"] for row in charged) <= 2
    assert executor.is_running, executor.log()
