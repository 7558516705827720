"""Every way in which a task can end has a recorded outcome, and the executor lives."""

from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from jobs import recovery
from jobs.lifecycle import Outcome, Status
from jobs.models import ExecutionLog, Job, JobExecution
from tests.conftest import StartCommand
from tests.factories import make_worker
from tests.processes.jobs import (
    enqueue,
    enqueue_with,
    executions_of,
    still_works,
    wait_for,
    wait_for_ends,
)
from tests.sample_app import tasks
from tests.sample_app.models import Note
from tests.sample_app.witness import testimony
from tests.waiting import wait_until

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]


class End(NamedTuple):
    """A task with its arguments, and how its only attempt must end."""

    task: Any
    arguments: dict[str, Any]
    outcome: Outcome
    code: str = ""
    error_class: str = ""


#: Those that need a file get the name of one by WITNESS, of one that never exists by NEVER.
WITNESS, NEVER = "WITNESS", "NEVER"
FAILED, SUCCEEDED = Outcome.FAILED, Outcome.SUCCEEDED
FLAW = "tests.sample_app.tasks.Flaw"
UNPRINTABLE = "tests.sample_app.tasks.Unprintable"


def in_child(task: Any) -> Any:
    """The same task, in a child process."""
    return task.using(isolation="process")


ENDS = [
    End(tasks.add_async, {"a": 1, "b": 2}, SUCCEEDED),
    End(tasks.fail, {"message": "x" * 100_000}, FAILED, "FLAW", FLAW),
    End(tasks.fail_for_good, {}, FAILED, "NO_USE"),
    End(tasks.raises_unprintable, {}, FAILED, "exception", UNPRINTABLE),
    End(in_child(tasks.raises_unprintable), {}, FAILED, "exception", UNPRINTABLE),
    End(tasks.exits, {}, FAILED, "", "builtins.SystemExit"),
    End(in_child(tasks.exits), {}, FAILED, "", "builtins.SystemExit"),
    End(tasks.interrupts, {}, FAILED, "exception", "builtins.KeyboardInterrupt"),
    *[
        End(tasks.returns, {"kind": kind}, FAILED, "INVALID_JSON")
        for kind in ("nan", "nul", "surrogate", "deep", "large", "bytes")
    ],
    End(tasks.returns, {"kind": "tuple"}, SUCCEEDED),
    End(tasks.returns_unserialisable, {}, FAILED, "INVALID_JSON"),
    End(tasks.forks, {"witness": WITNESS}, SUCCEEDED),
    End(tasks.forks_and_returns, {"witness": WITNESS}, SUCCEEDED),
    End(tasks.exits_hard, {}, FAILED, "crashed"),
    End(tasks.crash_child, {}, FAILED, "crashed"),
    End(tasks.fill_memory, {"megabytes": 50}, SUCCEEDED),
    End(tasks.deaf, {"until": NEVER}, Outcome.TIMED_OUT, "timeout"),
    End(tasks.slow_with_timeout, {"until": NEVER}, SUCCEEDED),
]


def test_every_end_is_recorded_and_the_executor_lives(
    start_command: StartCommand, tmp_path: Path, witness: str
) -> None:
    files = {WITNESS: witness, NEVER: str(tmp_path / "never")}
    ids = [
        enqueue_with(
            end.task,
            {"max_attempts": 1},
            **{name: files.get(str(value), value) for name, value in end.arguments.items()},
        )
        for end in ENDS
    ]
    executor = start_command("runexecutor")
    wait_for_ends(ids, executor)

    for end, job_id in zip(ENDS, ids, strict=True):
        (execution,) = executions_of(job_id)
        found = (execution.status, Job.objects.get(id=job_id).status)
        final = Status.SUCCEEDED if end.outcome is SUCCEEDED else Status.DEAD_LETTER
        assert found == (end.outcome, final), f"{end}: {execution.error_message}"
        assert execution.error_code == (end.code or execution.error_code), end
        assert execution.error_class == (end.error_class or execution.error_class), end
        assert execution.charged, end
    assert "its thread is abandoned, its slot replaced" in executor.log()
    still_works(executor)
    executor.terminate()
    assert executor.wait() == 0, "a thread that never ends does not keep it from ending"


def test_retries_wait_their_time_and_snoozes_are_not_charged(
    start_command: StartCommand, witness: str
) -> None:
    flaky = enqueue(tasks.flaky, failures=2, witness=witness)
    snoozing = enqueue(tasks.snooze, seconds=0.1, times=2)
    hopeless = enqueue(tasks.fail_for_good)
    selective = enqueue(tasks.retries_connection_errors_only, kind="other")
    exhausted = enqueue_with(tasks.fail, {"max_attempts": 3})
    ids = [flaky, snoozing, hopeless, selective, exhausted]
    wait_for_ends(ids, start_command("runexecutor"))

    assert [e.status for e in executions_of(flaky)] == [FAILED, FAILED, SUCCEEDED]
    assert executions_of(flaky)[-1].result == 3
    assert testimony(witness) == ["attempt 1", "attempt 2", "attempt 3"]
    snoozes = [(e.number, e.status, e.charged) for e in executions_of(snoozing)]
    assert snoozes == [
        (1, Outcome.INTERRUPTED, False),
        (2, Outcome.INTERRUPTED, False),
        (3, SUCCEEDED, True),
    ]
    one, two, _three = executions_of(snoozing)
    assert two.started_at is not None
    assert one.finished_at is not None
    assert (two.started_at - one.finished_at).total_seconds() >= 0.05
    reasons = dict(Job.objects.filter(id__in=ids).values_list("id", "reason"))
    assert (reasons[hopeless], reasons[selective]) == ("NO_USE", "FLAW")
    assert reasons[exhausted] == "attempts_exhausted"
    first, second, third = executions_of(exhausted)
    gaps = [
        (later.started_at - earlier.finished_at).total_seconds()  # type: ignore[operator]
        for earlier, later in ((first, second), (second, third))
    ]
    assert gaps[0] >= 0.05, "the first delay of these tests"
    assert gaps[1] >= 0.1, "and twice that"


def test_what_a_task_writes_and_how_far_it_is_are_stored(start_command: StartCommand) -> None:
    logs = enqueue(tasks.logs, lines=2)
    prints = enqueue(tasks.prints, lines=2)
    garbage = enqueue(tasks.prints_garbage)
    much = enqueue(tasks.writes_output, text="x" * 1000, times=100)
    progress = enqueue(tasks.report_progress, steps=5)
    executor = start_command("runexecutor", "--once", options={"max_log_bytes": 50_000})
    assert executor.wait() == 0, executor.log()

    def text(job_id: int, stream: str) -> str:
        rows = ExecutionLog.objects.filter(execution__job_id=job_id, stream=stream)
        return "".join(rows.order_by("sequence").values_list("text", flat=True))

    assert text(logs, "log").count("of the task's logger") == 2
    assert "a line of the context" in text(logs, "log")
    assert text(prints, "stdout") == "out 0\nout 1\n"
    assert text(prints, "stderr") == "err 0\nerr 1\n"
    assert text(garbage, "stdout") == "nul \\x00 invalid \ufffd\ufffd end\n"
    assert text(much, "stdout") == "x" * 50_000 + "\n… log cut after 50000 bytes …\n"
    (found,) = executions_of(progress)
    assert (found.progress_done, found.progress_total) == (5, 5)
    assert found.progress_message == "step 5"


def test_a_child_that_holds_too_much_memory_is_replaced(
    start_command: StartCommand, witness: str
) -> None:
    executor = start_command(
        "runexecutor", "--processes", "1", options={"child_max_memory_mb": 150}
    )
    pids = []
    for megabytes in (0, 200, 0):
        job_id = enqueue(tasks.keep_memory, megabytes=megabytes)
        wait_for(job_id, Status.SUCCEEDED, executor)
        pids.append(executions_of(job_id)[0].result)
    assert pids == [1, 2, 1], "the third attempt found a fresh process"


def test_a_killed_executor_leaves_no_write_of_a_transactional_task(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    until = tmp_path / "go"
    job_id = enqueue(tasks.write_note_slowly, text="once", until=str(until), witness=witness)
    executor = start_command("runexecutor")
    wait_until(lambda: testimony(witness), what="a start", explain=executor.log)
    executor.kill()
    wait_for(job_id, Status.FAILED, executor)
    assert not Note.objects.exists()
    until.touch()
    wait_for(job_id, Status.SUCCEEDED, start_command("runexecutor"))
    assert Note.objects.count() == 1


def test_a_lost_lease_rolls_back_what_a_transactional_task_wrote(
    start_command: StartCommand, witness: str, tmp_path: Path, settings: Settings
) -> None:
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"backoff_base_seconds": 0.05}
    until = tmp_path / "go"
    job_id = enqueue(tasks.write_note_slowly, text="once", until=str(until), witness=witness)
    executor = start_command("runexecutor")
    wait_until(
        lambda: executions_of(job_id) and executions_of(job_id)[0].started_at,
        what="a recorded start",
        explain=executor.log,
    )
    with transaction.atomic():  # as after a frozen executor; in one piece, or the keeper renews it
        JobExecution.objects.running().update(lease_expires_at=timezone.now())
        assert recovery.reclaim_expired(10) == 1
    until.touch()
    wait_for(job_id, Status.SUCCEEDED, executor)
    assert Note.objects.count() == 1
    assert [e.status for e in executions_of(job_id)] == [Outcome.TIMED_OUT, SUCCEEDED]
    assert "late result was refused" in executor.log()
    still_works(executor)


def test_a_task_that_another_live_executor_knows_is_left_to_it(
    start_command: StartCommand, witness: str
) -> None:
    task = tasks.leave_witness.module_path
    other = make_worker(tasks=[task], reported_at=timezone.now() + timedelta(hours=1))
    job_id = enqueue(tasks.leave_witness, witness=witness)
    environment = {"DJANGO_SETTINGS_MODULE": "tests.settings_without_sample_app"}
    ignorant = start_command("runexecutor", environment=environment)
    wait_until(
        lambda: [e.error_code for e in executions_of(job_id)] == ["unknown_task"],
        what="a job handed back",
        explain=ignorant.log,
    )
    job = wait_for(job_id, Status.PENDING, ignorant)
    assert job.attempts_charged == 0
    wait_for(job_id, Status.SUCCEEDED, start_command("runexecutor"))
    assert [e.charged for e in executions_of(job_id)] == [False, True]
    assert testimony(witness) == ["ran"]
    assert other.stopped_at is None


def test_a_task_that_no_live_executor_knows_is_dead_at_once(start_command: StartCommand) -> None:
    make_worker(tasks=[tasks.noop.module_path], stopped_at=timezone.now())
    job_id = enqueue(tasks.noop)
    environment = {"DJANGO_SETTINGS_MODULE": "tests.settings_without_sample_app"}
    ignorant = start_command("runexecutor", environment=environment)
    job = wait_for(job_id, Status.DEAD_LETTER, ignorant)
    assert (job.reason, job.attempts_charged) == ("missing_task", 0)
    (execution,) = executions_of(job_id)
    assert (execution.status, execution.error_code) == (FAILED, "missing_task")
