"""Named filters over jobs, executions and workers. They read; lifecycle and queue write."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from controlplane import conf
from jobs.lifecycle import TIMED, UNFINISHED, Outcome, Status

if TYPE_CHECKING:
    from jobs.models import Job, JobExecution, Queue, Worker  # noqa: F401 - named in the bases


class JobQuerySet(QuerySet["Job"]):
    def claimable(self) -> JobQuerySet:
        """What an executor may take, first one first: higher priority, then longer waiting, then
        lower id.
        """
        return self.filter(status=Status.PENDING).order_by(F("priority").desc(), "queued_at", "id")

    def due(self) -> JobQuerySet:
        """Waiting for a time that has come."""
        return self.filter(status__in=TIMED, run_after__lte=Now())

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

    def knowing(self, task: str) -> WorkerQuerySet:
        lookup: dict[str, Any] = {"tasks__contains": [task]}
        return self.filter(**lookup)
