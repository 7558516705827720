"""A job as Django's TaskResult: the mapping of our states to Django's four, and of executions to
errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.tasks import TaskResult, TaskResultStatus
from django.tasks.base import TaskError

from jobs import registry
from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution

#: Django knows no waiting, cancelled or given-up state; a job that a person must decide on counts
#: as failed.
DJANGO_STATUS = {
    Status.PENDING: TaskResultStatus.READY,
    Status.SCHEDULED: TaskResultStatus.READY,
    Status.BLOCKED: TaskResultStatus.READY,
    Status.FAILED: TaskResultStatus.READY,
    Status.RUNNING: TaskResultStatus.RUNNING,
    Status.SUCCEEDED: TaskResultStatus.SUCCESSFUL,
    Status.CANCELLED: TaskResultStatus.FAILED,
    Status.DEAD_LETTER: TaskResultStatus.FAILED,
    Status.NEEDS_VERIFICATION: TaskResultStatus.FAILED,
}


def result_of(job_id: int, *, backend: str) -> TaskResult | None:
    """The job's result as Django's interface shows it, or None when there is no such job.

    Raises TaskNotFound when the job's task is not among the installed apps any more.
    """
    job = Job.objects.filter(id=job_id).first()
    if job is None:
        return None
    executions = list(JobExecution.objects.filter(job_id=job_id).order_by("number"))
    begun = [e for e in executions if e.started_at is not None]
    result: TaskResult[..., Any] = TaskResult(
        task=registry.task_named(job.task),
        id=str(job.id),
        status=DJANGO_STATUS[Status(job.status)],
        enqueued_at=job.created_at,
        started_at=begun[0].started_at if begun else None,
        finished_at=job.finished_at,
        last_attempted_at=begun[-1].started_at if begun else None,
        args=job.args,
        kwargs=job.kwargs,
        backend=backend,
        errors=_errors(executions),
        worker_ids=[str(e.worker_id) for e in begun],
    )
    value = executions[-1].result if job.status == Status.SUCCEEDED and executions else None
    object.__setattr__(
        result, "_return_value", value
    )  # the interface's own way to fill a frozen result
    return result


def _errors(executions: Sequence[JobExecution]) -> list[TaskError]:
    failed = (Outcome.FAILED, Outcome.TIMED_OUT)
    return [
        TaskError(exception_class_path=e.error_class or "builtins.Exception", traceback=e.traceback)
        for e in executions
        if e.status in failed
    ]
