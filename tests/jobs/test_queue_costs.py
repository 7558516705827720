"""What the hot statements cost: round trips of an idle look, of a claim, of a report."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from jobs import queue
from jobs.models import JobExecution
from jobs.queue import settle_all
from tests.factories import make_job, make_jobs, new_job
from tests.jobs.reading import claim, failure, success

pytestmark = pytest.mark.django_db


def statements(act: Callable[[], object]) -> list[str]:
    """What `act` sends to the database, but for savepoints."""
    with CaptureQueriesContext(connection) as captured:
        act()
    texts = [query["sql"] for query in captured]
    return [text for text in texts if "SAVEPOINT" not in text]


def test_an_insert_costs_one_statement_and_no_savepoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "INSERT_CHUNK", 2)
    for count in (1, 2):
        with CaptureQueriesContext(connection) as captured:
            queue.insert([new_job()] * count)
        assert len(captured) == 1
        assert "{NULL" not in captured[0]["sql"], "a column of nulls is no array of them"


def test_a_look_for_work_costs_one_statement_when_there_is_none() -> None:
    assert len(statements(queue.pending_queues)) == 1


def test_a_claim_from_one_queue_costs_one_statement() -> None:
    make_jobs(3)
    assert len(statements(claim)) == 1
    assert len(statements(claim)) == 1


def test_a_claim_from_several_looks_at_no_more_of_each_than_it_may_take() -> None:
    make_jobs(3)
    *heads, claiming = statements(lambda: claim(queues=["default", "other"], limit=2))
    assert len(heads) == 2
    assert all(text.endswith("LIMIT 2") for text in heads)
    assert "SKIP LOCKED" in claiming


def test_claims_from_place_to_place_are_compiled_once() -> None:
    make_jobs(6)
    (first,) = claim(limit=1)
    (second,) = claim(limit=1, after=first.place)
    before = queue._locking_select.cache_info().misses
    (third,) = claim(limit=1, after=second.place)
    claim(limit=1, after=third.place)
    assert queue._locking_select.cache_info().misses == before


def test_a_claim_from_no_queue_costs_nothing() -> None:
    assert statements(lambda: claim(queues=[])) == []


def test_completions_cost_one_statement_however_many() -> None:
    make_jobs(20)
    held = claim()
    done = [success(one) for one in held]
    (text,) = statements(lambda: queue.report_succeeded(1, done))
    assert "{NULL" not in text, "no results are no array of nulls"


def test_other_ends_read_nothing_again() -> None:
    make_job()
    (one,) = claim()
    texts = statements(lambda: queue.report_ended(1, {one.execution_id: failure()}))
    reads = [text for text in texts if text.startswith("SELECT") and "pg_notify" not in text]
    assert [JobExecution._meta.db_table in text for text in reads] == [True, False]
    assert all("FOR NO KEY UPDATE" in text for text in reads)


def test_nothing_to_report_costs_nothing() -> None:
    assert statements(lambda: queue.report_succeeded(1, [])) == []
    assert statements(lambda: settle_all([], {})) == []
    assert statements(lambda: queue.notify([])) == []
