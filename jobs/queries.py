"""What pages and API read about jobs, already joined and bounded. Nothing here writes."""

from dataclasses import dataclass

from django.db import models
from django.db.models import F
from django.db.models.functions import Left

from accounts.permissions import sees_all
from controlplane.actors import Actor
from controlplane.errors import NotFound
from controlplane.pagination import Page, PageRequest, paginate
from jobs.filters import JobFilter
from jobs.lifecycle import Status
from jobs.models import Job, JobExecution, Worker
from jobs.querysets import JobQuerySet

#: Counts stop here: what one acts on is whether there are few or many.
COUNT_LIMIT = 1_000
#: The states whose jobs are counted above the list; each has an index that holds it alone.
COUNTED = (Status.PENDING, Status.RUNNING, Status.FAILED, Status.DEAD_LETTER)
#: Most executions shown of one job; a job that puts itself back may have thousands.
MAX_EXECUTIONS = 20
#: Characters of an error message that a list shows.
EXCERPT = 160


@dataclass(frozen=True, slots=True)
class ListedJob:
    """A row of the list; `attempt` is the job's last execution, if it has one."""

    job: Job
    attempt: JobExecution | None


@dataclass(frozen=True, slots=True)
class ListedExecution:
    """An execution with the label of the worker that claimed it."""

    execution: JobExecution
    worker: str


def visible_jobs(actor: Actor) -> JobQuerySet:
    """All jobs, or only the actor's own."""
    if sees_all(actor, "jobs.see_all"):
        return Job.objects.all()
    return Job.objects.none() if actor.id is None else Job.objects.filter(owner_id=actor.id)


def visible_job(actor: Actor, job_id: int) -> Job:
    """The job with its owner. Raises NotFound also when it is somebody else's."""
    job = visible_jobs(actor).select_related("owner").filter(id=job_id).first()
    if job is None:
        raise NotFound(f"There is no job {job_id}, or none that you may see.")
    return job


def matching(rows: JobQuerySet, wanted: JobFilter) -> JobQuerySet:
    """Those of `rows` that pass the filter."""
    if wanted.status is not None:
        rows = in_status(rows, wanted.status)
    if wanted.queue:
        rows = rows.filter(queue=wanted.queue)
    if "." in wanted.task:
        rows = rows.filter(task=wanted.task)
    elif wanted.task:
        rows = rows.filter(task__endswith=f".{wanted.task}")
    return rows


def in_status(rows: JobQuerySet, status: Status) -> JobQuerySet:
    """Those in this state, so that a partial index serves it however long the history is."""
    rows = rows.filter(status=status)
    if status is Status.RUNNING:
        # No index of the hot table holds RUNNING jobs; that of the running executions is tiny.
        rows = rows.filter(id__in=JobExecution.objects.running().values("job_id"))
    return rows


def job_page(
    actor: Actor, wanted: JobFilter, page: PageRequest, *, fill: bool = True
) -> Page[ListedJob]:
    """One page of the jobs that the actor may see, each with its last execution: two queries.

    `fill` as in `paginate`.
    """
    rows = matching(visible_jobs(actor), wanted).defer("args", "kwargs")
    jobs = paginate(rows.fetch_mode(models.FETCH_RAISE), page, fill=fill)
    attempts = _last_executions(jobs.items)
    listed = [ListedJob(job, attempts.get(job.id)) for job in jobs.items]
    return Page(listed, newer=jobs.newer, older=jobs.older)


def status_counts(actor: Actor) -> dict[Status, int]:
    """How many visible jobs each of COUNTED has; COUNT_LIMIT + 1 stands for any larger number."""
    rows = visible_jobs(actor)
    return {s: in_status(rows, s).order_by()[: COUNT_LIMIT + 1].count() for s in COUNTED}


def executions_of(job: Job) -> list[ListedExecution]:
    """The latest executions, newest first, without traceback and result."""
    latest = (
        JobExecution.objects.filter(job_id=job.id)
        .defer("traceback", "result")
        .order_by("-number")
        .fetch_mode(models.FETCH_RAISE)[:MAX_EXECUTIONS]
    )
    labels = _worker_labels({execution.worker_id for execution in latest})
    return [ListedExecution(e, labels.get(e.worker_id, f"worker {e.worker_id}")) for e in latest]


def execution_of(job: Job, number: int | None) -> JobExecution | None:
    """The execution with this number, or the last one, if any. Raises NotFound for others."""
    found = (
        JobExecution.objects.filter(
            job_id=job.id, number=job.executions_made if number is None else number
        )
        .fetch_mode(models.FETCH_RAISE)
        .first()
    )
    if found is None and number is not None:
        raise NotFound(f"Job {job.id} has no execution {number}.", field="execution")
    return found


def _last_executions(jobs: list[Job]) -> dict[int, JobExecution]:
    found = (
        JobExecution.objects.filter(
            job_id__in=[j.id for j in jobs], number=F("job__executions_made")
        )
        .only("job_id", "number", "status", "started_at", "finished_at", "error_class")
        .annotate(error_excerpt=Left("error_message", EXCERPT))
        .fetch_mode(models.FETCH_RAISE)
    )
    return {execution.job_id: execution for execution in found}


def _worker_labels(ids: set[int]) -> dict[int, str]:
    workers = Worker.objects.filter(id__in=ids).only("kind", "host", "pid")
    return {worker.id: worker.label for worker in workers}
