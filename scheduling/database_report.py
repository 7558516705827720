"""Figures about our part of the database, from statistics and small indexes: cheap at any size."""

from typing import Any

from django.db.models import BigIntegerField, F, Func, Min, Q
from django.db.models.functions import Now

from jobs.lifecycle import Status
from jobs.models import Job, JobExecution
from scheduling.models import TableStatistics

#: Prefixes of our tables, which partitions of the audit trail have too.
PREFIXES = ("accounts_", "audit_", "jobs_", "scheduling_")
#: Jobs of one state are counted up to here.
COUNT_LIMIT = 1_000


class _TotalSize(Func):
    """Bytes of a table with its indexes and out-of-line values."""

    function = "pg_total_relation_size"
    output_field = BigIntegerField()


def report() -> dict[str, Any]:
    """The figures as plain JSON values. Row counts are PostgreSQL's estimates."""
    return {
        "tables": _tables(),
        "jobs": {str(status): _count(status) for status in Status if status != Status.SUCCEEDED},
        "oldest_pending_seconds": _oldest_pending_seconds(),
    }


def _tables() -> list[dict[str, Any]]:
    ours = Q()
    for prefix in PREFIXES:
        ours |= Q(relname__startswith=prefix)
    rows = TableStatistics.objects.filter(ours).annotate(bytes=_TotalSize(F("relid")))
    return [
        {"name": r.relname, "bytes": r.bytes, "rows": r.n_live_tup, "dead_rows": r.n_dead_tup}
        for r in rows.order_by("-bytes", "relname")
    ]


def _count(status: Status) -> str:
    """Exact up to the limit. Every state asked for is held by a small index of its own."""
    if status is Status.RUNNING:
        found = JobExecution.objects.running().order_by()[: COUNT_LIMIT + 1].count()
    else:
        found = Job.objects.filter(status=status).order_by()[: COUNT_LIMIT + 1].count()
    return f"over {COUNT_LIMIT}" if found > COUNT_LIMIT else str(found)


def _oldest_pending_seconds() -> int | None:
    pending = Job.objects.filter(status=Status.PENDING)
    age = pending.aggregate(age=Now() - Min("queued_at"))["age"]
    return None if age is None else round(age.total_seconds())
