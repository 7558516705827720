"""`up --once`: every ENABLED schedule is run once to its end."""

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass

from controlplane.actors import SYSTEM
from controlplane.errors import ControlPlaneError
from controlplane.up import contents
from jobs import lifecycle
from jobs.actions.cancel import cancel_job
from jobs.lifecycle import Status
from jobs.models import Job, JobExecution
from scheduling import actions
from scheduling.crontab import ImportedLine
from scheduling.models import JobSchedule

NOT_STARTED = "NOT STARTED"


@dataclass(frozen=True)
class Row:
    """What became of one schedule."""

    schedule: str
    outcome: str
    duration_ms: int | None
    last_line: str

    @property
    def is_good(self) -> bool:
        return self.outcome == Status.SUCCEEDED


def run_all(pump: Callable[[], bool]) -> list[Row]:
    """Start every ENABLED schedule and wait until each has ended or failed once.

    `pump` lets the executor work for a moment and returns False when the wait must end.
    """
    schedules = JobSchedule.objects.live().enabled().order_by("id")
    started: dict[str, int] = {}
    rows: list[Row] = []
    for schedule in schedules:
        try:
            job = actions.run_now(schedule_id=schedule.id, actor=SYSTEM, reason="up --once")
        except ControlPlaneError as error:
            rows.append(Row(schedule.name, NOT_STARTED, None, error.message))
        else:
            started[schedule.name] = job.id
    while is_unfinished(started.values()) and pump():
        pass
    return rows + [row_of(name, job_id) for name, job_id in started.items()]


def rows_of_lines_left_out(lines: list[ImportedLine]) -> list[Row]:
    """Return a row for each line of the named crontab that could not be made to run."""
    return [
        Row(line.text, contents.fate(line).upper(), None, line.reason)
        for line in lines
        if line.reason and line.status not in ("ignored", "gone")
    ]


def is_unfinished(job_ids: Collection[int]) -> bool:
    """Say whether any job is still to end; no retry of one that failed is waited for."""
    jobs = Job.objects.filter(id__in=job_ids)
    for job in jobs.filter(status=Status.FAILED):
        with suppress(ControlPlaneError):
            cancel_job(job_id=job.id, actor=SYSTEM, reason="up --once waits for no retry")
    return jobs.filter(status__in=lifecycle.UNFINISHED).exists()


def row_of(name: str, job_id: int) -> Row:
    job = Job.objects.get(id=job_id)
    execution = job.executions.order_by("-number").first()
    if execution is None:
        return Row(name, job.status, None, "")
    # Of a job whose retry was cancelled here, the attempt tells what happened.
    outcome = execution.status if job.status == Status.CANCELLED else job.status
    return Row(name, outcome, execution.duration_ms, last_line(execution))


def last_line(execution: JobExecution) -> str:
    """Return the last line an execution printed, else its error, else nothing."""
    for chunk in execution.log_chunks.order_by("-sequence")[:5]:
        for line in reversed(chunk.text.splitlines()):
            if line.strip():
                return line.strip()
    return (execution.error_message.splitlines() or [""])[0]


def table(rows: list[Row]) -> str:
    """Return the rows as aligned text under a heading."""
    cells = [("SCHEDULE", "OUTCOME", "DURATION", "LAST LINE OF OUTPUT")]
    cells += [(row.schedule, row.outcome, seconds(row.duration_ms), row.last_line) for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(3)]
    return "\n".join(
        f"{name:<{widths[0]}}  {outcome:<{widths[1]}}  {duration:>{widths[2]}}  {line}".rstrip()
        for name, outcome, duration, line in cells
    )


def seconds(duration_ms: int | None) -> str:
    return "-" if duration_ms is None else f"{duration_ms / 1000:.2f} s"
