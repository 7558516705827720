"""Jobs for real executors: enqueued as an application does, watched in the database."""

from collections.abc import Iterable
from typing import Any

from controlplane.actors import SYSTEM
from jobs.actions.enqueue import enqueue_job
from jobs.lifecycle import Status
from jobs.models import Job, JobExecution
from tests.sample_app import tasks
from tests.started import StartedProcess
from tests.waiting import wait_until


def enqueue(task: object, **arguments: object) -> int:
    return enqueue_job(task=task, kwargs=arguments, actor=SYSTEM).job_id  # type: ignore[arg-type]


def enqueue_with(task: object, options: dict[str, Any], **arguments: object) -> int:
    """`options` are those of the action, such as max_attempts."""
    found = enqueue_job(task=task, kwargs=arguments, actor=SYSTEM, **options)  # type: ignore[arg-type]
    return found.job_id


def status_of(job_id: int) -> str:
    return Job.objects.get(id=job_id).status


def executions_of(job_id: int) -> list[JobExecution]:
    return list(JobExecution.objects.filter(job_id=job_id).order_by("number"))


def wait_for(job_id: int, status: Status, executor: StartedProcess, *, timeout: float = 20) -> Job:
    """The job, once it has reached this state."""
    wait_until(
        lambda: status_of(job_id) == status,
        timeout=timeout,
        what=f"job {job_id} {status}",
        explain=lambda: f"{status_of(job_id)}\n{executor.log()}",
    )
    return Job.objects.get(id=job_id)


def wait_for_ends(job_ids: Iterable[int], executor: StartedProcess, *, timeout: float = 20) -> None:
    """Returns when none of these jobs can go on by itself."""
    ended = (Status.SUCCEEDED, Status.DEAD_LETTER, Status.CANCELLED)
    unfinished = Job.objects.filter(id__in=list(job_ids)).exclude(status__in=ended)
    wait_until(
        lambda: not unfinished.exists(),
        timeout=timeout,
        what="the end of all jobs",
        explain=lambda: f"{list(unfinished.values_list('id', 'task', 'status'))}\n{executor.log()}",
    )


def still_works(executor: StartedProcess, jobs: int = 20) -> None:
    """Whatever happened to it, the executor runs the next jobs, all of them."""
    ids = [enqueue(tasks.noop) for _ in range(jobs)]
    wait_for_ends(ids, executor)
    assert executor.is_running, executor.log()
    assert Job.objects.filter(id__in=ids, status=Status.SUCCEEDED).count() == jobs
