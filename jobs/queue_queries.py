"""What pages and API read about queues and workers, bounded. Nothing here writes."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from accounts.permissions import require
from controlplane.actors import Actor
from jobs import registry
from jobs.lifecycle import Status
from jobs.models import Job, Queue, Worker
from jobs.queries import COUNT_LIMIT


@dataclass(frozen=True, slots=True)
class ListedQueue:
    """A queue and how much waits in it; COUNT_LIMIT + 1 stands for any larger number."""

    name: str
    pending: int
    is_paused: bool
    paused_at: datetime | None
    paused_by: str
    pause_reason: str
    paused_until: datetime | None


def queues(actor: Actor) -> list[ListedQueue]:
    """Every queue that is known by its settings, by a live worker or by a task, by name.

    Raises PermissionDenied to those who see their own jobs only.
    """
    require(actor, "jobs.see_all")
    rows = {row.name: row for row in Queue.objects.all()}
    names = {*rows, "default"}
    names |= {task.queue_name for task in registry.known_tasks().values()}
    for served in Worker.objects.live().values_list("queues", flat=True):
        names |= set(served)
    return [_listed(name, rows.get(name) or Queue(name=name)) for name in sorted(names)]


def workers(actor: Actor, *, live_only: bool) -> QuerySet[Worker]:
    """Processes that have reported themselves. Raises PermissionDenied as `queues` does."""
    require(actor, "jobs.see_all")
    return Worker.objects.live() if live_only else Worker.objects.all()


def _listed(name: str, row: Queue) -> ListedQueue:
    waiting = Job.objects.filter(queue=name, status=Status.PENDING)
    ended = row.paused_until is not None and row.paused_until <= timezone.now()
    return ListedQueue(
        name=name,
        pending=waiting.order_by()[: COUNT_LIMIT + 1].count(),
        is_paused=row.paused_at is not None and not ended,
        paused_at=row.paused_at,
        paused_by=row.paused_by,
        pause_reason=row.pause_reason,
        paused_until=row.paused_until,
    )
