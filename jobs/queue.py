"""Insert, claim, report: the statements by which executors move jobs. See recovery.py for lost
leases.

Lock order everywhere: executions by ascending id, then jobs by ascending id. A claim locks bare job
rows and skips what others hold. Called by actions and runtime only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Exists, Min
from django.db.models.functions import Now

from audit import recorder
from audit.vocabulary import EventType
from controlplane import conf
from controlplane.actors import SYSTEM
from jobs import lifecycle
from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution, Queue
from jobs.querysets import ExecutionQuerySet, JobQuerySet
from jobs.records import Claimed, NewJob, Place, Start, Succeeded
from jobs.settlement import Ending, settle
from jobs.sql import JOBS_CHANNEL, statement
from jobs.waiting import release

__all__ = ["Claimed", "NewJob", "Place", "Start", "Succeeded"]  # records.py is part of this module

#: Channel on which executors hear that a running job should stop; the payload is the job's id.
CANCEL_CHANNEL = "controlplane_cancel"

#: Rows of one insert statement; beyond it the arrays cost more memory than round trips save.
INSERT_CHUNK = 5000

#: Stands for any place while a claim's select is compiled, which is done once: nothing else that a
#: select compares with is equal to a part of it.
_SOMEWHERE = Place(-1001, datetime.min.replace(tzinfo=UTC), -1002)


def insert(rows: Sequence[NewJob]) -> list[int | None]:
    """Insert jobs, record JOB_CREATED for each and wake executors, in the caller's transaction.

    Returns the new ids in order; None where a unique key of the row is held by another job.
    """
    ids: list[int | None] = []
    # One statement is all or nothing by itself.
    together = transaction.atomic() if len(rows) > INSERT_CHUNK else nullcontext()
    with together, connection.cursor() as cursor:
        for start in range(0, len(rows), INSERT_CHUNK):
            chunk = rows[start : start + INSERT_CHUNK]
            columns = dict(zip(NewJob._fields, zip(*chunk, strict=True), strict=True))
            cursor.execute(statement("insert_jobs"), {n: _column(v) for n, v in columns.items()})
            ids.extend(job_id for _, job_id in cursor.fetchall())
    return ids


def _column(values: Sequence[Any]) -> list[Any] | None:
    """An array for unnest, which takes none at all for one that holds nothing but nulls."""
    return list(values) if values.count(None) < len(values) else None


def pending_queues() -> list[str]:
    """Names of the queues that hold PENDING jobs and are not paused: one index probe for each."""
    names: list[str] = []
    last = ""
    pending = (
        Job.objects.filter(status=Status.PENDING).order_by("queue").values_list("queue", flat=True)
    )
    while (name := pending.filter(queue__gt=last).first()) is not None:
        names.append(name)
        last = name
    if not names:
        return names
    paused = set(Queue.objects.paused().values_list("name", flat=True))
    return [name for name in names if name not in paused]


def claim(
    *,
    worker_id: int,
    queues: Collection[str],
    limit: int,
    isolated: bool = False,
    exclude: Collection[str] = (),
    above_priority: int | None = None,
    after: Place | None = None,
) -> list[Claimed]:
    """Take up to `limit` PENDING jobs of these queues, first ones first, each with a new leased
    execution.

    `isolated` chooses between the jobs that need a child process and those that do not. `exclude`
    leaves out tasks by dotted path; `above_priority` takes only jobs of a higher priority; `after`
    takes only jobs of the same priority that stand behind that place.
    """
    wanted = _Wanted(isolated, tuple(sorted(exclude)), above_priority, after)
    shares = _shares(queues, limit, wanted)
    if not shares:
        return []
    candidates, parameters = _locking(shares, wanted)
    text = statement("begin_executions").replace("{candidates}", candidates)
    with connection.cursor() as cursor:
        cursor.execute(text, [*parameters, worker_id, conf.options().lease_seconds])
        claimed = [Claimed(*row) for row in cursor.fetchall()]
    claimed.sort(key=lambda c: c.rank)
    return claimed


def _locking(shares: Mapping[str, int], wanted: _Wanted) -> tuple[str, list[Any]]:
    """The ORM's skip-locked selects, one for each queue, as the first part of a statement."""
    parts: list[str] = []
    parameters: list[Any] = []
    shape = wanted if wanted.after is None else wanted._replace(after=_SOMEWHERE)
    real = dict(zip(_SOMEWHERE, wanted.after or (), strict=False))
    for number, (queue, share) in enumerate(shares.items()):
        text, values = _locking_select(queue, shape)
        parts.append(f"queue_{number} AS MATERIALIZED ({text} LIMIT %s)")
        parameters += [*(real.get(value, value) for value in values), share]
    union = " UNION ALL ".join(f"TABLE queue_{number}" for number in range(len(parts)))
    return ", ".join([*parts, f"candidates AS ({union})"]), parameters


@lru_cache(maxsize=256)
def _locking_select(queue: str, wanted: _Wanted) -> tuple[str, tuple[Any, ...]]:
    """The ORM's skip-locked select of what may be claimed from a queue, without its limit."""
    with transaction.atomic():  # nothing is executed, but select_for_update insists on one
        rows = _candidates(queue, wanted).select_for_update(skip_locked=True, no_key=True)
        text, values = rows.values_list("id", "status").query.sql_with_params()
    return text, tuple(values)


class _Wanted(NamedTuple):
    isolated: bool
    exclude: tuple[str, ...]
    above_priority: int | None
    after: Place | None


def _candidates(queue: str, wanted: _Wanted) -> JobQuerySet:
    rows = Job.objects.claimable().filter(queue=queue, isolated=wanted.isolated)
    rows = rows.exclude(Exists(Queue.objects.paused().filter(name=queue)))
    if wanted.exclude:
        rows = rows.exclude(task__in=wanted.exclude)
    if wanted.above_priority is not None:
        rows = rows.filter(priority__gt=wanted.above_priority)
    if wanted.after is not None:
        rows = rows.behind(*wanted.after)
    return rows


def _shares(queues: Collection[str], limit: int, wanted: _Wanted) -> dict[str, int]:
    """How many jobs to take from each queue so that together they are the first ones of all.

    One queue needs no look. Of several, the heads are compared without locks; the claim then locks
    in each queue as many rows as it had among the first.
    """
    if len(queues) <= 1:
        return dict.fromkeys(queues, limit)
    heads: list[tuple[int, Any, int, str]] = []
    for queue in queues:
        rows = _candidates(queue, wanted).values_list("priority", "queued_at", "id")
        heads += [(-priority, queued, id_, queue) for priority, queued, id_ in rows[:limit]]
    return Counter(queue for *_, queue in sorted(heads)[:limit])


def lock_executions(ids: Iterable[int], *, skip_locked: bool = False) -> ExecutionQuerySet:
    """These executions, locked in order, whatever their state: the caller looks whose they are.

    Asked for RUNNING ones only, the planner takes the small index of those and walks over its dead
    entries, which a long transaction elsewhere keeps there; by id the cost stays the same.
    """
    rows = JobExecution.objects.filter(id__in=list(ids)).order_by("id")
    return rows.select_for_update(no_key=True, skip_locked=skip_locked)


def report_succeeded(
    worker_id: int, completions: Sequence[Succeeded], *, record_late: bool = True
) -> list[int]:
    """Write completions; return the execution ids that were not this worker's any more: late
    results.

    `record_late` False leaves recording those to the caller, whose transaction will be rolled back.
    """
    by_id = {completion.execution_id: completion for completion in completions}
    if not by_id:
        return []
    results = [row.result for row in by_id.values()]
    parameters: dict[str, Any] = {
        "worker_id": worker_id,
        "ids": _array(by_id),
        "started": _array(row.started for row in by_id.values()),
        "finished": _array(row.finished for row in by_id.values()),
        "results": results if any(results) else None,
    }
    # One statement is all or nothing by itself; what waits for a key goes on together with it.
    keyed = any(row.keyed for row in by_id.values())
    with transaction.atomic() if keyed else nullcontext(), connection.cursor() as cursor:
        cursor.execute(statement("report_succeeded"), parameters)
        held, keys, _ = cursor.fetchone()
        if keys:
            notify(release(keys))
    mine = set(held or ())
    late = {id_: (Outcome.SUCCEEDED, "") for id_ in by_id if id_ not in mine}
    return _refused(worker_id, late, record=record_late)


def _array(numbers: Iterable[float]) -> str:
    """Numbers as the text of a PostgreSQL array: far cheaper than one parameter for each."""
    return "{" + ",".join(map(repr, numbers)) + "}"


def report_ended(worker_id: int, endings: Mapping[int, Ending]) -> list[int]:
    """Write other ends of attempts, by execution id; return the ids that were late, as above."""
    with transaction.atomic():
        held = [e for e in lock_executions(endings) if e.is_held_by(worker_id)]
        settle_all(held, {execution.id: endings[execution.id] for execution in held})
    mine = {execution.id for execution in held}
    late = {
        id_: (ending.outcome, ending.error_code)
        for id_, ending in endings.items()
        if id_ not in mine
    }
    return _refused(worker_id, late, record=True)


def settle_all(executions: Sequence[JobExecution], endings: Mapping[int, Ending]) -> None:
    """Settle locked executions: lock their jobs in order, move them, record what happened, wake
    executors.
    """
    if not executions:
        return
    jobs = {
        job.id: job
        for job in Job.objects.filter(id__in=[e.job_id for e in executions])
        .order_by("id")
        .select_for_update(no_key=True)
    }
    events = []
    for execution in executions:
        events += settle(jobs[execution.job_id], execution, endings[execution.id])
    recorder.record_all(events)
    released = release(job.overlap_key for job in jobs.values())
    notify({jobs[e.job_id].queue for e in executions} | released)


def _refused(worker_id: int, late: Mapping[int, tuple[Outcome, str]], *, record: bool) -> list[int]:
    """The ids among `late` (outcome and error code by id) whose report is refused, each recorded.

    Left out is what this worker has reported just so before: the answer to that report was lost,
    not the lease.
    """
    if not late:
        return []
    rows = JobExecution.objects.filter(id__in=list(late)).select_related("job")
    known = {
        e.id for e in rows if e.worker_id == worker_id and (e.status, e.error_code) == late[e.id]
    }
    if record:
        recorder.record_all(
            recorder.event(
                EventType.JOB_LATE_RESULT,
                recorder.Target("job", e.job_id, e.job.task),
                actor=SYSTEM,
                metadata={"attempt": e.number, "outcome": str(late[e.id][0])},
            )
            for e in rows
            if e.id not in known
        )
    return [id_ for id_ in late if id_ not in known]


def mark_started(worker_id: int, starts: Sequence[Start]) -> None:
    """Make visible that these attempts have begun; those that are not this worker's any more are
    left out.
    """
    by_id = {start.execution_id: start for start in starts}
    with transaction.atomic(), connection.cursor() as cursor:
        held = [
            e.id for e in lock_executions(by_id) if e.is_held_by(worker_id) and e.started_at is None
        ]
        rows = [by_id[id_] for id_ in held]
        if not rows:
            return
        columns = map(list, zip(*rows, strict=True))
        names = ("ids", "job_ids", "tasks", "numbers", "started", "alone")
        parameters = dict(zip(names, columns, strict=True)) | {"worker_id": worker_id}
        cursor.execute(statement("mark_started"), parameters)


def seconds_to_next_due() -> float | None:
    """Seconds until the next job's time comes, by the database's clock; None when none waits."""
    timed = Job.objects.filter(status__in=lifecycle.TIMED)
    found = timed.aggregate(wait=Min("run_after") - Now())["wait"]
    return None if found is None else max(0.0, found.total_seconds())


def cancel_requested(worker_id: int) -> list[int]:
    """Executions of this worker whose job somebody wants cancelled."""
    held = JobExecution.objects.held_by(worker_id).filter(job__cancel_requested_at__isnull=False)
    return list(held.values_list("id", flat=True))


def notify(queues: Iterable[str]) -> None:
    """Wake executors for these queues when the transaction commits. A hint: polling finds the work
    too.
    """
    names = sorted(set(queues))
    if names:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_notify(%s, name) FROM unnest(%s::text[]) AS name", [JOBS_CHANNEL, names]
            )


def notify_cancel(job_id: int) -> None:
    """Tell executors, at commit, that a running job should stop. A hint as well."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [CANCEL_CHANNEL, str(job_id)])


def database_time() -> float:
    """The database's clock, epoch seconds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())::float8")
        return float(cursor.fetchone()[0])
