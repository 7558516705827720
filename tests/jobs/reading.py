"""Short words for what tests of the core look at again and again."""

from datetime import datetime
from typing import Any

from audit.models import AuditEvent
from jobs import queue
from jobs.lifecycle import Outcome
from jobs.models import Job, JobExecution
from jobs.queue import Claimed, Succeeded
from jobs.settlement import Ending, Fate


def trail(job_id: int) -> list[str]:
    """The types of a job's audit events, first one first."""
    return [event.event_type for event in events(job_id)]


def events(job_id: int) -> list[AuditEvent]:
    return list(AuditEvent.objects.filter(target_type="job", target_id=job_id).order_by("id"))


def fresh(row: Any) -> Any:
    """The row as the database has it now."""
    row.refresh_from_db()
    return row


def job_of(execution: JobExecution) -> Job:
    return Job.objects.get(pk=execution.job_id)


def states(job_id: int) -> tuple[str, list[str]]:
    """State of the job and, in order, of its executions."""
    executions = JobExecution.objects.filter(job_id=job_id).order_by("number")
    return Job.objects.get(pk=job_id).status, [execution.status for execution in executions]


def claim(worker_id: int = 1, **how: Any) -> list[Claimed]:
    """Claim for this worker, by default anything from the default queue."""
    defaults: dict[str, Any] = {"queues": ["default"], "limit": 100}
    return queue.claim(worker_id=worker_id, **(defaults | how))


def success(execution: JobExecution | Claimed, result: str | None = None) -> Succeeded:
    """A completion that took a second and ended now."""
    now = queue.database_time()
    execution_id = execution.execution_id if isinstance(execution, Claimed) else execution.pk
    return Succeeded(execution_id, execution.job_id, now - 1, now, result)


def failure(**fields: Any) -> Ending:
    """The end of an attempt that raised, to be tried again, unless told otherwise."""
    defaults: dict[str, Any] = {"outcome": Outcome.FAILED, "fate": Fate.TRY_AGAIN}
    return Ending(**(defaults | fields))


def seconds_from_now(moment: datetime | None) -> float:
    """How far a stored time lies ahead by the database's clock; negative: it is past."""
    assert moment is not None
    return moment.timestamp() - queue.database_time()
