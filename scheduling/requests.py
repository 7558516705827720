"""The job that a schedule asks for."""

from jobs.actions.enqueue import JobRequest
from jobs.models import Trigger
from scheduling.lifecycle import OverlapPolicy
from scheduling.models import JobSchedule


def job_request(schedule: JobSchedule) -> JobRequest:
    """What to run and how; overlap is for the database to refuse, by the key."""
    alone = schedule.overlap_policy != OverlapPolicy.ALLOW
    return JobRequest(
        task=schedule.task,
        args=schedule.args,
        kwargs=schedule.kwargs,
        queue=schedule.queue or None,
        priority=schedule.priority,
        max_attempts=schedule.max_attempts,
        timeout_seconds=schedule.timeout_seconds,
        overlap_key=schedule.overlap_key if alone else None,
        owner_id=schedule.owner_id,
        trigger=Trigger.SCHEDULE,
        trigger_id=schedule.id,
    )
