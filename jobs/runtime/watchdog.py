"""The watchdog: what would be left behind without it. Recovery is a query, so any number may run
anywhere.
"""

from __future__ import annotations

import time
from datetime import timedelta

from django.db.models.functions import Now

from audit.partitions import ensure_partitions
from controlplane import conf
from controlplane.events import log_event
from controlplane.loop import Loop
from jobs import recovery
from jobs.models import Worker
from jobs.workers import WorkerReport

#: Partitions of the audit trail are looked after so often, seconds.
PARTITION_SECONDS = 6 * 3600.0


class Watchdog(Loop):
    name = "watchdog"

    def __init__(self) -> None:
        self.options = conf.options()
        super().__init__(
            tick_seconds=self.options.watchdog_tick_seconds,
            report=WorkerReport(Worker.Kind.WATCHDOG),
            report_seconds=self.options.worker_report_seconds,
        )
        self._partitions_at = float("-inf")

    def tick(self) -> float | None:
        look(self.options.watchdog_batch)
        now = time.monotonic()
        if now - self._partitions_at >= PARTITION_SECONDS:
            ensure_partitions()
            self._partitions_at = now
        return None


def look(batch: int) -> int:
    """Settle lost leases, promote due jobs, note silent workers; return how many executions were
    settled.
    """
    reclaimed = 0
    while count := recovery.reclaim_expired(batch):
        reclaimed += count
    if reclaimed:
        log_event("watchdog.reclaimed", count=reclaimed)
    promoted = 0
    while count := recovery.promote_due(batch):
        promoted += count
    if promoted:
        log_event("watchdog.promoted", count=promoted)
    recovery.unblock_stranded(batch)
    silent = mark_silent_workers()
    if silent:
        log_event("watchdog.workers_gone", count=silent)
    return reclaimed


def mark_silent_workers() -> int:
    """Workers that have not reported for three reports and a lease count as stopped; return how
    many.
    """
    options = conf.options()
    silence = timedelta(seconds=3 * options.worker_report_seconds + options.lease_seconds)
    silent = Worker.objects.filter(stopped_at__isnull=True, reported_at__lt=Now() - silence)
    return silent.update(stopped_at=Now())
