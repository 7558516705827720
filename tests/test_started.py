"""Real processes, as tests start them: the whole path of a job once, and surely ended after it."""

import pytest

from audit.models import AuditEvent
from jobs.models import Job
from tests.conftest import StartCommand
from tests.factories import make_job
from tests.sample_app.witness import testimony
from tests.waiting import wait_until

pytestmark = pytest.mark.processes


def test_a_real_executor_runs_a_job_of_this_test(start_command: StartCommand, witness: str) -> None:
    job = make_job(task="tests.sample_app.tasks.leave_witness", args=[witness, "here"])
    executor = start_command("runexecutor", "--once")
    assert executor.wait() == 0, executor.log()
    assert testimony(witness) == ["here"]
    assert Job.objects.get(pk=job.pk).status == "SUCCEEDED"
    trail = AuditEvent.objects.filter(target_type="job", target_id=job.pk).order_by("id")
    assert list(trail.values_list("event_type", flat=True)) == [
        "JOB_CREATED",
        "JOB_STARTED",
        "JOB_SUCCEEDED",
    ]


def test_options_reach_the_process(start_command: StartCommand) -> None:
    executor = start_command("runexecutor", options={"executor_enabled": False})
    assert executor.wait() == 2
    assert "EXECUTOR_ENABLED" in executor.log()


def test_a_stopped_process_and_its_children_are_ended_too(start_command: StartCommand) -> None:
    executor = start_command("runexecutor")
    executor.wait_for_log("executor started")
    keepers = wait_until(executor.children, what="the keeper")
    executor.pause()
    executor.end()
    assert not executor.is_running
    assert not any(keeper.is_running() for keeper in keepers)
