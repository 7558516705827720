"""On a filled table the planner takes the index that each statement of the queue was given."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from jobs import queue, recovery
from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution

FINISHED = 50_000
PENDING = 300
WORKER = 7

#: How statements begin that have a plan; a comment is the head of a stored one.
EXPLAINED = ("SELECT", "UPDATE", "WITH", "--")

pytestmark = pytest.mark.django_db


@pytest.fixture
def filled(db: None) -> None:
    """Many finished jobs with their executions, and a few of each that the loops look for."""
    job, execution = Job._meta.db_table, JobExecution._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO {job} (task, status, queue, queued_at, finished_at)
            SELECT 'app.tasks.t' || n %% 10, %s, 'q' || n %% 3, now(), now()
            FROM generate_series(1, %s) AS n
            """,
            [Status.SUCCEEDED, FINISHED],
        )
        cursor.execute(
            f"""
            INSERT INTO {execution} (job_id, number, worker_id, status, lease_expires_at, finished_at)
            SELECT id, 1, %s, %s, now(), now() FROM {job}
            """,
            [WORKER, Outcome.SUCCEEDED],
        )
        cursor.execute(
            f"""
            INSERT INTO {job} (task, status, queue, queued_at, isolated)
            SELECT 'app.tasks.t', %s, 'q' || n %% 3, now(), n > 200
            FROM generate_series(1, %s) AS n
            """,
            [Status.PENDING, PENDING],
        )
        cursor.execute(
            f"""
            INSERT INTO {job} (task, status, queue, run_after)
            SELECT 'app.tasks.t', %s, 'q1', now() - interval '1 s' FROM generate_series(1, 50)
            """,
            [Status.SCHEDULED],
        )
        cursor.execute(
            f"""
            WITH running AS (
                INSERT INTO {job} (task, status, queue, queued_at, executions_made)
                SELECT 'app.tasks.t', %s, 'q1', now(), 1 FROM generate_series(1, 50)
                RETURNING id
            )
            INSERT INTO {execution} (job_id, number, worker_id, status, lease_expires_at)
            SELECT id, 1, %s, %s, now() - interval '1 s' FROM running
            """,
            [Status.RUNNING, WORKER, Outcome.RUNNING],
        )
        cursor.execute(f"ANALYZE {job}, {execution}")


def plans(work: Callable[[], object]) -> list[str]:
    """The plan of each statement that `work` runs."""
    with CaptureQueriesContext(connection) as captured:
        work()
    statements = [query["sql"] for query in captured if query["sql"].startswith(EXPLAINED)]
    assert statements
    found = []
    with connection.cursor() as cursor:
        for text in statements:
            cursor.execute(f"EXPLAIN {text}")
            found.append("\n".join(line for (line,) in cursor.fetchall()))
    return found


CLAIMS: dict[str, Callable[[], object]] = {
    "from one queue": lambda: queue.claim(worker_id=WORKER, queues=["q1"], limit=50),
    "from several": lambda: queue.claim(worker_id=WORKER, queues=["q0", "q1", "q2"], limit=50),
    "leaving a task out": lambda: queue.claim(
        worker_id=WORKER, queues=["q1"], limit=50, exclude=["app.tasks.other"]
    ),
    "for child processes": lambda: queue.claim(
        worker_id=WORKER, queues=["q2"], limit=50, isolated=True
    ),
    "of more urgent ones": lambda: queue.claim(
        worker_id=WORKER, queues=["q1"], limit=50, above_priority=-1
    ),
}


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("kind", CLAIMS)
def test_the_claim_looks_only_at_pending_jobs(kind: str) -> None:
    found = plans(CLAIMS[kind])
    locking = [plan for plan in found if "LockRows" in plan]
    assert locking
    assert all("using job_claim" in plan for plan in locking), "\n".join(found)
    assert not any("Sort" in plan for plan in locking), "\n".join(found)
    _no_table_is_read_whole(found)


OTHERS: dict[str, tuple[Callable[[], object], str]] = {
    "queues with work": (queue.pending_queues, "job_claim"),
    "the next due time": (queue.seconds_to_next_due, "job_timed"),
    "promotion": (lambda: recovery.promote_due(100), "job_timed"),
    "cancels": (lambda: queue.cancel_requested(WORKER), "execution_one_running_per_job"),
    "renewal": (lambda: recovery.renew_leases(WORKER, [1, 2, 3]), "jobs_jobexecution_pkey"),
    "lost leases": (lambda: recovery.reclaim_expired(100), "execution_one_running_per_job"),
}


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("what", OTHERS)
def test_the_loops_read_through_their_partial_index(what: str) -> None:
    work, index = OTHERS[what]
    found = plans(work)
    assert any(index in plan for plan in found), "\n".join(found)
    _no_table_is_read_whole(found)


def _no_table_is_read_whole(found: list[str]) -> None:
    whole = [
        plan
        for plan in found
        for table in (Job, JobExecution)
        if f"Seq Scan on {table._meta.db_table}" in plan
    ]
    assert not whole, "\n".join(whole)
