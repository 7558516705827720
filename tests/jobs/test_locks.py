"""Locks: executions by ascending id, then jobs by ascending id, or none is waited for at all; and
no stronger than needed, so that a foreign key which somebody is just making holds nobody up.
"""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from jobs import queue, recovery
from jobs.models import Job, JobExecution
from jobs.queue import Claimed
from jobs.settlement import Ending, Fate
from tests.concurrency import locked_elsewhere
from tests.factories import make_job, make_jobs
from tests.jobs.reading import claim, failure, success

JOBS, EXECUTIONS = Job._meta.db_table, JobExecution._meta.db_table

#: From a SELECT to the lock that it takes.
LOCK = re.compile(r"SELECT (?:(?!SELECT).)*?FOR (?:NO KEY )?UPDATE(?: SKIP LOCKED)?", re.S)

#: The order in which it takes them, one by one. "1" is the first column that is read, the id.
BY_ID = re.compile(
    r"""ORDER BY (1 ASC|("\w+"|\w)\.("id" ASC|id))\s+(LIMIT \d+ )?FOR NO KEY UPDATE"""
)

type Act = Callable[[list[Claimed]], object]


def start(one: Claimed) -> queue.Start:
    return queue.Start(one.execution_id, one.job_id, one.task, one.number, 0.0, alone=False)


#: What takes locks on what an executor holds. Each is handed the executions in the wrong order.
ACTS: dict[str, Act] = {
    "completions": lambda held: queue.report_succeeded(1, [success(one) for one in held]),
    "failures": lambda held: queue.report_ended(1, {one.execution_id: failure() for one in held}),
    "starts": lambda held: queue.mark_started(1, [start(one) for one in held]),
    "renewals": lambda held: recovery.renew_leases(1, [one.execution_id for one in held]),
    "lost leases": lambda _: recovery.reclaim_expired(10),
    "a dead executor": lambda held: recovery.recover(1, started={}),
}


def held_and_lost(count: int) -> list[Claimed]:
    """Executions of worker 1 whose lease has run out, the newest first."""
    make_jobs(count)
    claimed = claim(1)
    JobExecution.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    return claimed[::-1]


def locks_of(act: Callable[[], object]) -> list[tuple[str, str]]:
    """Table and statement of each lock that is taken, in order."""
    with CaptureQueriesContext(connection) as captured:
        act()
    texts = [re.sub(r"--[^\n]*", "", query["sql"]) for query in captured]
    # One statement may lock several times: each part ends with its lock.
    parts = [part for text in texts for part in LOCK.findall(text)]
    return [(re.findall(rf"{EXECUTIONS}|{JOBS}", part)[0], part) for part in parts]


@pytest.mark.django_db
@pytest.mark.parametrize("what", ACTS)
def test_locks_are_taken_in_order_executions_first(what: str) -> None:
    held = held_and_lost(3)
    locks = locks_of(lambda: ACTS[what](held))
    tables = [table for table, _ in locks]
    assert tables in ([EXECUTIONS], [EXECUTIONS, JOBS])
    for _, text in locks:
        assert BY_ID.search(text), text


@pytest.mark.django_db
@pytest.mark.parametrize("what", ["claim", "promotion"])
def test_what_locks_jobs_in_another_order_waits_for_nobody(what: str) -> None:
    make_jobs(2)
    make_job("SCHEDULED")
    Job.objects.filter(status="SCHEDULED").update(run_after=timezone.now())
    locks = locks_of(claim if what == "claim" else lambda: recovery.promote_due(10))
    assert locks
    for table, text in locks:
        assert table == JOBS
        assert text.endswith("SKIP LOCKED")


@pytest.mark.django_db
def test_jobs_that_go_on_after_an_end_are_locked_last_and_in_order() -> None:
    ending, waiting = holders_and_followers()
    tables_and_texts = locks_of(lambda: queue.report_ended(1, ending))
    assert [table for table, _ in tables_and_texts] == [EXECUTIONS, JOBS, JOBS]
    assert all(BY_ID.search(text) for _, text in tables_and_texts)
    assert set(Job.objects.filter(pk__in=waiting).values_list("status", flat=True)) == {"PENDING"}


def holders_and_followers() -> tuple[dict[int, Ending], list[int]]:
    """Ends of two jobs that hold keys, and the jobs that wait for those keys."""
    for key in ("a", "b"):
        make_job(overlap_key=key)
    waiting = [make_job(waits_for_key=key).id for key in ("b", "a")]
    return {one.execution_id: failure(fate=Fate.GIVE_UP) for one in claim(1)}, waiting


@pytest.mark.django_db(transaction=True)
def test_a_foreign_key_in_the_making_keeps_no_job_from_going_on() -> None:
    ending, waiting = holders_and_followers()
    with locked_elsewhere(JOBS, *waiting, strength="KEY SHARE"):
        queue.report_ended(1, ending)
    assert set(Job.objects.filter(pk__in=waiting).values_list("status", flat=True)) == {"PENDING"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ACTS)
def test_a_foreign_key_in_the_making_holds_nobody_up(what: str) -> None:
    """Somebody stores a log of the execution, a firing of the job: both are pointed to."""
    held = held_and_lost(2)
    executions = [one.execution_id for one in held]
    job_ids = [one.job_id for one in held]
    before = list(JobExecution.objects.order_by("id").values())
    with (
        locked_elsewhere(EXECUTIONS, *executions, strength="KEY SHARE"),
        locked_elsewhere(JOBS, *job_ids, strength="KEY SHARE"),
    ):
        ACTS[what](held)
    changed = [
        one != other
        for one, other in zip(before, JobExecution.objects.order_by("id").values(), strict=True)
    ]
    assert changed == [True, True]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ACTS)
def test_nobody_waits_for_a_row_that_is_not_theirs(what: str) -> None:
    held = held_and_lost(2)
    bystander = make_job("RUNNING")
    waiting = make_job()
    executions = bystander.executions.values_list("id", flat=True)
    with (
        locked_elsewhere(EXECUTIONS, *executions),
        locked_elsewhere(JOBS, bystander.id, waiting.id),
    ):
        ACTS[what](held)


@pytest.mark.django_db(transaction=True)
def test_a_foreign_key_in_the_making_keeps_no_job_from_being_claimed_or_promoted() -> None:
    (pending,) = make_jobs(1)
    scheduled = make_job("SCHEDULED").id
    Job.objects.filter(pk=scheduled).update(run_after=timezone.now())
    with locked_elsewhere(JOBS, pending, scheduled, strength="KEY SHARE"):
        assert [one.job_id for one in claim()] == [pending]
        assert recovery.promote_due(10) == 1
