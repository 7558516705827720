"""What the bare database allows: the leanest statements over tables of our own shape, no framework.

Also a program, `python -m bench.floor ACTION DSN ...`: see `main`. The same work is done as by an
executor (execution at the claim, guarded finish, an audit row for each transition); claims and
finishes go out together, prepared and in one round trip, and the task is called in the loop.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
from psycopg.rows import TupleRow

from bench.moments import append_moment

BATCH = 500
#: Held by the driver until the workers may begin.
GATE = 4_711
#: Name of ours -> name of the floor's.
TABLES = {
    "jobs_job": "floor_job",
    "jobs_jobexecution": "floor_execution",
    "audit_auditevent": "floor_audit",
}
CLAIM = """
WITH candidates AS (
    SELECT id FROM floor_job WHERE status = 'PENDING' AND queue = 'default' AND NOT isolated
    ORDER BY priority DESC, queued_at, id LIMIT %s FOR NO KEY UPDATE SKIP LOCKED
),
taken AS (
    UPDATE floor_job AS j SET status = 'RUNNING', executions_made = executions_made + 1
    FROM candidates WHERE j.id = candidates.id
    RETURNING j.id, j.executions_made, j.task, j.kwargs,
        nextval(pg_get_serial_sequence('floor_execution', 'id')) AS execution_id
),
begun AS (
    INSERT INTO floor_execution (id, job_id, number, worker_id, status, lease_expires_at)
    SELECT execution_id, id, executions_made, 1, 'RUNNING', now() + interval '60 s' FROM taken
)
SELECT execution_id, id, task, kwargs::text FROM taken
"""
FINISH = """
WITH input AS MATERIALIZED (
    SELECT *, 'RUNNING' AS guard FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::float8[])
        AS i (execution_id, job_id, task, started)
),
ended AS (
    UPDATE floor_execution AS e SET status = 'SUCCEEDED', charged = true,
        started_at = to_timestamp(input.started), finished_at = now()
    FROM input WHERE e.id = input.execution_id AND e.status = input.guard AND e.worker_id = 1
),
moved AS (
    UPDATE floor_job AS j SET status = 'SUCCEEDED', attempts_charged = attempts_charged + 1,
        finished_at = now()
    FROM input WHERE j.id = input.job_id AND j.status = input.guard
)
INSERT INTO floor_audit (event_type, target_type, target_id, target_label, occurred_at)
SELECT event, 'job', job_id, task, now()
FROM input CROSS JOIN (VALUES ('JOB_STARTED'), ('JOB_SUCCEEDED')) AS events (event)
"""
ENQUEUE = """
WITH new AS (
    INSERT INTO floor_job (task, queue, status, args, kwargs, queued_at)
    VALUES ('bench.tasks.noop', %s, 'PENDING', '[]', %s::jsonb, now())
)
SELECT pg_notify('floor', %s)
"""
#: Rows without anything else: no ids handed back, no audit, no notification.
BULK = "COPY floor_job (task, queue, status, args, kwargs, queued_at) FROM STDIN"

type Connection = psycopg.Connection[TupleRow]


def create_tables(connection: Connection) -> None:
    """Make the floor's tables like ours: columns, checks, indexes, storage; no foreign keys."""
    for ours, floors in TABLES.items():
        connection.execute(f"CREATE TABLE {floors} (LIKE {ours} INCLUDING ALL)")
        found = connection.execute(
            "SELECT unnest(reloptions) FROM pg_class WHERE oid = %s::regclass", [ours]
        ).fetchall()
        if found:
            options = ", ".join(option for (option,) in found)
            connection.execute(f"ALTER TABLE {floors} SET ({options})")


def noop(n: int, s: str) -> None:
    """The task of the drain."""


def work(connection: Connection) -> None:
    """Claim and finish until nothing is left."""
    tasks: dict[str, Callable[..., None]] = {"bench.tasks.noop": noop}
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    connection.execute("SELECT pg_advisory_lock_shared(%s)", [GATE])
    done: list[tuple[int, int, str, float]] = []
    while True:
        cursor = connection.cursor(binary=True)
        with connection.transaction(), connection.pipeline():
            if done:
                connection.execute(FINISH, list(map(list, zip(*done, strict=True))), binary=True)
            cursor.execute(CLAIM, [BATCH])
        rows = cursor.fetchall()
        if not rows:
            return
        done = []
        for execution_id, job_id, task, kwargs in rows:
            started = time.time()
            tasks[task](**json.loads(kwargs))
            done.append((execution_id, job_id, task, started))


def enqueue(connection: Connection, count: int) -> float:
    """Insert one by one, each its own commit and notification; jobs per second."""
    before = time.perf_counter()
    for n in range(count):
        payload = json.dumps({"n": n, "s": "hello"})
        connection.execute(ENQUEUE, ["unserved", payload, "unserved"])
    return count / (time.perf_counter() - before)


def bulk(connection: Connection, count: int) -> float:
    """COPY; jobs per second."""
    now = time.strftime("%Y-%m-%d %H:%M:%S+00", time.gmtime())
    before = time.perf_counter()
    with connection.cursor().copy(BULK) as copy:
        for n in range(count):
            payload = json.dumps({"n": n, "s": "hello"})
            copy.write_row(("bench.tasks.noop", "unserved", "PENDING", "[]", payload, now))
    return count / (time.perf_counter() - before)


def listen(connection: Connection, path: str) -> None:
    """Append the time of each notification to a file, until killed."""
    connection.execute("LISTEN floor")
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for _ in connection.notifies():
        append_moment(path, time.monotonic())


def main(action: str, dsn: str, *arguments: str) -> Any:
    """`work`, `listen FILE`, `enqueue COUNT` or `bulk COUNT`; the latter two return a rate."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.prepare_threshold = 0
        if action == "work":
            return work(connection)
        if action == "listen":
            return listen(connection, arguments[0])
        return {"enqueue": enqueue, "bulk": bulk}[action](connection, int(arguments[0]))


def _run(arguments: Sequence[str]) -> None:
    result = main(*arguments)
    if result is not None:
        sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    _run(sys.argv[1:])
