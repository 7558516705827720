"""The job that a schedule asks for, and how it waits for the schedule's earlier jobs."""

from datetime import datetime, timedelta
from zlib import crc32

from jobs.actions.behind import Turn
from jobs.actions.enqueue import JobRequest
from jobs.models import Trigger
from scheduling.lifecycle import OverlapPolicy
from scheduling.models import JobSchedule

#: Policies under which a job may wait for an earlier one.
WAITING = (OverlapPolicy.BUFFER_ONE, OverlapPolicy.CANCEL_RUNNING)


def job_request(schedule: JobSchedule, nominal_time: datetime | None = None) -> JobRequest:
    """What to run and how; overlap is for the database to refuse, by the key.

    `nominal_time` is the time it is for, from which its jitter counts.
    """
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
        run_after=_start(schedule, nominal_time),
    )


def next_turn(schedule: JobSchedule, nominal_time: datetime) -> Turn:
    """At most one job waits, whatever it is for."""
    return Turn(
        request=job_request(schedule, nominal_time),
        place=f"{schedule.overlap_key}:next",
        cancels=schedule.overlap_policy == OverlapPolicy.CANCEL_RUNNING,
    )


def own_turn(schedule: JobSchedule, nominal_time: datetime, kind: str) -> Turn:
    """In line with others: one waits for each time."""
    place = f"{schedule.overlap_key}:{kind}:{nominal_time.timestamp():f}"
    return Turn(request=job_request(schedule), place=place)


def _start(schedule: JobSchedule, nominal_time: datetime | None) -> datetime | None:
    """The same for whoever asks, and spread over schedules that share their times."""
    if not schedule.jitter_seconds or nominal_time is None:
        return None
    chance = crc32(f"{schedule.id}:{nominal_time.timestamp():f}".encode())
    return nominal_time + timedelta(seconds=chance % (schedule.jitter_seconds + 1))
