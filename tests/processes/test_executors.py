"""Executors as real processes: exactly once in good weather, at most one extra attempt in bad."""

from collections import Counter
from pathlib import Path

import pytest
from django.db.models import Count

from audit.models import AuditEvent
from audit.vocabulary import EventType
from controlplane.actors import SYSTEM
from jobs.actions.cancel import cancel_job
from jobs.actions.enqueue import JobRequest, enqueue_job, enqueue_many
from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution, Worker
from tests.conftest import StartCommand
from tests.sample_app import tasks
from tests.sample_app.witness import testimony
from tests.waiting import stays, wait_until

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]


def enqueue(task: object, **arguments: object) -> int:
    return enqueue_job(task=task, kwargs=arguments, actor=SYSTEM).job_id  # type: ignore[arg-type]


def status_of(job_id: int) -> str:
    return Job.objects.get(id=job_id).status


def executions_of(job_id: int) -> list[JobExecution]:
    return list(JobExecution.objects.filter(job_id=job_id).order_by("number"))


def wait_for_status(job_id: int, status: Status) -> Job:
    wait_until(
        lambda: status_of(job_id) == status,
        what=f"job {job_id} {status}",
        explain=lambda: status_of(job_id),
    )
    return Job.objects.get(id=job_id)


def test_two_executors_run_each_of_1000_jobs_exactly_once(
    start_command: StartCommand, witness: str
) -> None:
    first, second = (start_command("runexecutor", options={"claim_batch": 50}) for _ in range(2))
    for executor in (first, second):
        executor.wait_for_log("executor started")
    requests = [JobRequest(task=tasks.identify, kwargs={"witness": witness}) for _ in range(1000)]
    enqueue_many(requests, actor=SYSTEM)
    wait_until(
        lambda: Job.objects.filter(status=Status.SUCCEEDED).count() == 1000,
        timeout=60,
        what="1000 successes",
        explain=lambda: first.log() + second.log(),
    )

    lines = [line.split()[0] for line in testimony(witness)]
    assert max(Counter(lines).values()) == 1
    assert len(lines) == 1000
    assert JobExecution.objects.count() == 1000
    assert set(JobExecution.objects.values_list("status", flat=True)) == {Outcome.SUCCEEDED}
    assert JobExecution.objects.values("worker_id").distinct().count() == 2
    events = Counter(
        AuditEvent.objects.filter(target_type="job").values_list("event_type", flat=True)
    )
    assert events == {
        EventType.JOB_CREATED: 1000,
        EventType.JOB_STARTED: 1000,
        EventType.JOB_SUCCEEDED: 1000,
    }


def test_kill_of_an_executor_costs_one_attempt_and_the_job_goes_on(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    until = tmp_path / "go"
    job_id = enqueue(tasks.slow, until=str(until), witness=witness)
    executor = start_command("runexecutor")
    wait_until(lambda: testimony(witness), what="start", explain=executor.log)
    executor.kill()
    wait_for_status(job_id, Status.FAILED)
    until.touch()
    start_command("runexecutor")
    job = wait_for_status(job_id, Status.SUCCEEDED)

    first, second = executions_of(job_id)
    assert (first.status, first.charged, first.error_code) == (
        Outcome.INTERRUPTED,
        True,
        "executor_died",
    )
    assert (second.status, second.number, second.alone) == (Outcome.SUCCEEDED, 2, True)
    assert job.attempts_charged == 2


def test_jobs_that_had_not_begun_are_handed_back_uncharged_when_the_executor_is_killed(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    until = tmp_path / "go"
    for _ in range(4):
        enqueue(tasks.slow, until=str(until), witness=witness)
    executor = start_command("runexecutor", "--threads", "1")
    wait_until(lambda: testimony(witness), what="start", explain=executor.log)
    executor.kill()
    wait_until(
        lambda: not JobExecution.objects.running().exists(), what="recovery", explain=executor.log
    )
    charged = JobExecution.objects.filter(charged=True).count()
    assert charged == 1
    assert Job.objects.filter(status=Status.PENDING, attempts_charged=0).count() == 3


def test_the_watchdog_settles_the_attempts_of_a_machine_that_is_gone(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    job_id = enqueue(tasks.slow, until=str(tmp_path / "never"), witness=witness)
    executor = start_command(
        "runexecutor", options={"lease_seconds": 2.0, "lease_renewal_seconds": 0.5}
    )
    wait_until(
        lambda: executions_of(job_id) and executions_of(job_id)[0].started_at,
        what="recorded start",
        explain=executor.log,
    )
    children = executor.children()
    for child in children:
        child.suspend()
    executor.pause()
    for child in children:
        child.kill()
    executor.kill()
    start_command("runwatchdog")
    wait_for_status(job_id, Status.FAILED)
    (execution,) = executions_of(job_id)
    assert (execution.status, execution.charged) == (Outcome.TIMED_OUT, True)


def test_a_result_that_comes_after_the_lease_is_refused_and_recorded(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    until = tmp_path / "go"
    job_id = enqueue(tasks.slow, until=str(until), witness=witness)
    frozen = start_command("runexecutor")
    wait_until(
        lambda: executions_of(job_id) and executions_of(job_id)[0].started_at,
        what="recorded start",
        explain=frozen.log,
    )
    frozen.pause()
    watchdog = start_command("runwatchdog")
    wait_for_status(job_id, Status.FAILED)
    until.touch()
    start_command("runexecutor")
    wait_for_status(job_id, Status.SUCCEEDED)
    frozen.resume()
    wait_until(
        lambda: AuditEvent.objects.filter(
            event_type=EventType.JOB_LATE_RESULT, target_id=job_id
        ).exists(),
        what="late result",
        explain=lambda: frozen.log() + watchdog.log(),
    )
    first, second = executions_of(job_id)
    assert (first.status, second.status) == (Outcome.TIMED_OUT, Outcome.SUCCEEDED)
    succeeded = AuditEvent.objects.filter(event_type=EventType.JOB_SUCCEEDED, target_id=job_id)
    assert succeeded.count() == 1


def test_sigterm_finishes_what_runs_hands_back_the_rest_and_exits_0(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    until = tmp_path / "go"
    for _ in range(6):
        enqueue(tasks.slow, until=str(until), witness=witness)
    executor = start_command(
        "runexecutor", "--threads", "2", options={"shutdown_grace_seconds": 10.0}
    )
    wait_until(lambda: len(testimony(witness)) == 2, what="two started", explain=executor.log)
    executor.terminate()
    executor.wait_for_log("stopping: SIGTERM")
    until.touch()
    assert executor.wait() == 0
    by_status = dict(Job.objects.values_list("status").annotate(n=Count("id")))
    assert by_status == {Status.SUCCEEDED: 2, Status.PENDING: 4}
    assert not JobExecution.objects.running().exists()
    assert Job.objects.filter(status=Status.PENDING, attempts_charged=0).count() == 4
    assert Worker.objects.get().stopped_at is not None


def test_an_attempt_that_outlives_the_grace_is_interrupted_and_goes_on_elsewhere(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    job_id = enqueue(tasks.slow, until=str(tmp_path / "never"), witness=witness)
    executor = start_command("runexecutor", options={"shutdown_grace_seconds": 0.2})
    wait_until(lambda: testimony(witness), what="start", explain=executor.log)
    executor.terminate()
    assert executor.wait() == 0
    assert testimony(witness)[-1] == "stopped shutdown"
    # It returned when asked to: that is its result.
    assert status_of(job_id) == Status.SUCCEEDED


def test_a_timeout_kills_a_child_that_ignores_sigterm_and_its_grandchild(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    job_id = enqueue_job(
        task=tasks.ignores_sigterm,
        kwargs={"witness": witness, "until": str(tmp_path / "never")},
        max_attempts=1,
        actor=SYSTEM,
    ).job_id
    executor = start_command("runexecutor")
    wait_for_status(job_id, Status.DEAD_LETTER)
    (execution,) = executions_of(job_id)
    assert execution.status == Outcome.TIMED_OUT
    pids = [int(line.split()[1]) for line in testimony(witness)]
    assert len(pids) == 2
    wait_until(
        lambda: (
            not any(
                Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes()
                for pid in pids
            )
        ),
        what="the tree's end",
        explain=executor.log,
    )


def test_cancel_stops_a_running_task_and_its_real_outcome_is_kept(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    job_id = enqueue(tasks.slow, until=str(tmp_path / "never"), witness=witness)
    executor = start_command("runexecutor")
    wait_until(lambda: testimony(witness), what="start", explain=executor.log)
    job = cancel_job(job_id=job_id, actor=SYSTEM, reason="enough")
    assert job.status == Status.RUNNING
    wait_for_status(job_id, Status.CANCELLED)
    (execution,) = executions_of(job_id)
    assert execution.status == Outcome.SUCCEEDED
    assert testimony(witness)[-1] == "stopped cancel"


def test_cancel_stops_a_child_process(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    job_id = enqueue(tasks.ignores_sigterm, witness=witness, until=str(tmp_path / "never"))
    Job.objects.filter(id=job_id).update(timeout_seconds=60)
    executor = start_command("runexecutor")
    wait_until(lambda: len(testimony(witness)) == 2, what="start", explain=executor.log)
    cancel_job(job_id=job_id, actor=SYSTEM)
    wait_for_status(job_id, Status.CANCELLED)
    (execution,) = executions_of(job_id)
    assert (execution.status, execution.error_code) == (Outcome.CANCELLED, "cancel")


def test_a_task_that_holds_the_interpreter_for_three_leases_keeps_its_lease(
    start_command: StartCommand,
) -> None:
    job_id = enqueue(tasks.hold_gil, seconds=4.0)
    start_command("runwatchdog", options={"lease_seconds": 1.2, "lease_renewal_seconds": 0.3})
    executor = start_command(
        "runexecutor", options={"lease_seconds": 1.2, "lease_renewal_seconds": 0.3}
    )
    wait_for_status(job_id, Status.SUCCEEDED)
    assert [e.status for e in executions_of(job_id)] == [Outcome.SUCCEEDED], executor.log()


def test_a_job_that_kills_its_process_is_given_up_and_its_neighbours_are_hurt_once(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    until = tmp_path / "go"
    neighbour = enqueue(tasks.slow, until=str(until))
    executor = start_command("runexecutor")
    wait_for_status(neighbour, Status.RUNNING)
    poison = enqueue_job(
        task=tasks.crash, kwargs={"witness": witness}, max_attempts=20, actor=SYSTEM
    ).job_id
    wait_until(lambda: not executor.is_running, what="the crash", explain=executor.log)
    until.touch()
    start_command("runexecutor")
    job = wait_for_status(poison, Status.DEAD_LETTER)
    assert job.reason == "crashed"
    assert len(testimony(witness)) == 4  # once among others, three times alone
    wait_for_status(neighbour, Status.SUCCEEDED)
    assert len(executions_of(neighbour)) == 2


def test_a_high_priority_job_starts_next_although_the_buffer_is_full(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    until = tmp_path / "go"
    for _ in range(50):
        enqueue(tasks.slow, until=str(until), witness=str(tmp_path / "low"))
    executor = start_command("runexecutor", "--threads", "1")
    wait_until(lambda: testimony(str(tmp_path / "low")), what="a low one", explain=executor.log)
    enqueue(tasks.urgent.using(queue_name="default"), witness=witness, line="urgent")
    urgent = Job.objects.latest("id")
    stays(lambda: status_of(urgent.id) in (Status.PENDING, Status.RUNNING), seconds=0.3)
    until.touch()
    wait_for_status(urgent.id, Status.SUCCEEDED)
    before = JobExecution.objects.filter(
        status=Outcome.SUCCEEDED, started_at__lt=executions_of(urgent.id)[0].started_at
    )
    assert before.count() == 1


def test_a_disabled_executor_says_so_and_exits_non_zero(start_command: StartCommand) -> None:
    executor = start_command("runexecutor", options={"executor_enabled": False})
    assert executor.wait() == 2
    assert "EXECUTOR_ENABLED" in executor.log()
