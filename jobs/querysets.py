"""Named filters over jobs, executions and workers. They read; lifecycle and queue write."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import F, Field, Func, Q, QuerySet, Value
from django.db.models.functions import Now
from django.db.models.lookups import GreaterThan

from controlplane import conf
from jobs.lifecycle import TIMED, UNFINISHED, Outcome, Status

if TYPE_CHECKING:
    from jobs.models import Job, JobExecution, Queue, Worker  # noqa: F401 - named in the bases


def _row(*values: Any) -> Func:
    """A row of values, compared as one by PostgreSQL."""
    return Func(*values, function="ROW", output_field=Field())


class JobQuerySet(QuerySet["Job"]):
    def claimable(self) -> JobQuerySet:
        """What an executor may take, first one first: higher priority, then longer waiting, then
        lower id.
        """
        return self.filter(status=Status.PENDING).order_by(F("priority").desc(), "queued_at", "id")

    def behind(self, priority: int, queued_at: datetime, job_id: int) -> JobQuerySet:
        """Of this priority, and further back than this place in the claim's order.

        The comparison is of rows, as only that lets the index scan begin there.
        """
        here = _row(F("queued_at"), F("id"))
        return self.filter(
            GreaterThan(here, _row(Value(queued_at), Value(job_id))), priority=priority
        )

    def ahead_of(self, job: Job) -> JobQuerySet:
        """What a claim takes before this PENDING job, in its queue and lane; first ones first."""
        line = self.claimable().filter(queue=job.queue, isolated=job.isolated)
        older = GreaterThan(
            _row(Value(job.queued_at), Value(job.id)), _row(F("queued_at"), F("id"))
        )
        return line.filter(Q(priority__gt=job.priority) | (Q(priority=job.priority) & Q(older)))

    def due(self) -> JobQuerySet:
        """Waiting for a time that has come."""
        return self.filter(status__in=TIMED, run_after__lte=Now())

    def waiting_for_key(self) -> JobQuerySet:
        """Behind an unfinished job that holds the overlap key they wait for."""
        return self.filter(status=Status.BLOCKED, waits_for_key__isnull=False)

    def unfinished(self) -> JobQuerySet:
        return self.filter(status__in=UNFINISHED)


class ExecutionQuerySet(QuerySet["JobExecution"]):
    def running(self) -> ExecutionQuerySet:
        return self.filter(status=Outcome.RUNNING)

    def held_by(self, worker_id: int) -> ExecutionQuerySet:
        """Still RUNNING in the name of this worker: the fence of everything an executor reports."""
        return self.running().filter(worker_id=worker_id)

    def expired(self) -> ExecutionQuerySet:
        return self.running().filter(lease_expires_at__lt=Now())


class QueueQuerySet(QuerySet["Queue"]):
    def paused(self) -> QueueQuerySet:
        """Paused now; a pause with an end is over at that time by itself."""
        return self.filter(paused_at__isnull=False).filter(
            Q(paused_until__isnull=True) | Q(paused_until__gt=Now())
        )


class WorkerQuerySet(QuerySet["Worker"]):
    def live(self) -> WorkerQuerySet:
        """Not stopped, and heard of within three reports."""
        silence = timedelta(seconds=3 * conf.options().worker_report_seconds)
        return self.filter(stopped_at__isnull=True, reported_at__gte=Now() - silence)

    def serving(self, queue: str) -> WorkerQuerySet:
        """Executors that claim from this queue; an empty list of queues means all."""
        named: dict[str, Any] = {"queues__contains": [queue]}
        return self.filter(Q(queues=[]) | Q(**named))

    def knowing(self, task: str) -> WorkerQuerySet:
        lookup: dict[str, Any] = {"tasks__contains": [task]}
        return self.filter(**lookup)
