"""How loops make themselves known: one row per process, never reused, refreshed while it lives."""

import os
import socket
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from django.db.models.functions import Now

from jobs.models import Worker


def _version() -> str:
    try:
        return version("controlplane")
    except PackageNotFoundError:  # run from a checkout
        return ""


class WorkerReport:
    """This process as the workers page and the missing-task rule see it."""

    def __init__(
        self, kind: str, *, queues: Sequence[str] = (), tasks: Sequence[str] = (), slots: int = 0
    ) -> None:
        self.kind = kind
        self.queues = list(queues)
        self.tasks = list(tasks)
        self.slots = slots
        self.worker_id = 0

    def start(self) -> None:
        """Make the row, at each call a new one."""
        row = Worker.objects.create(
            kind=self.kind,
            host=socket.gethostname(),
            pid=os.getpid(),
            version=_version(),
            queues=self.queues,
            tasks=self.tasks,
            slots=self.slots,
        )
        self.worker_id = row.id

    def refresh(self) -> None:
        """Say that it is still alive; the database's clock is the time."""
        Worker.objects.filter(id=self.worker_id).update(reported_at=Now(), stopped_at=None)

    def stop(self) -> None:
        """Say that it has ended of its own will."""
        Worker.objects.filter(id=self.worker_id).update(reported_at=Now(), stopped_at=Now())
