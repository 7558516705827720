"""The reporter writes what has finished, loses nothing while the database is away, never ends."""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from audit.models import AuditEvent
from audit.vocabulary import EventType
from jobs import queue
from jobs.lifecycle import Outcome, Status
from jobs.models import ExecutionLog, JobExecution
from jobs.queue import Start, Succeeded
from jobs.runtime import reporter as reporter_module
from jobs.runtime.attempt import Attempt
from jobs.runtime.clock import DatabaseClock
from jobs.runtime.context import Progress
from jobs.runtime.reporter import START_AFTER, Reporter
from jobs.settlement import Ending
from tests.factories import make_jobs
from tests.jobs.reading import claim, failure, fresh, states, success, trail
from tests.jobs.runtime.attempts import attempt
from tests.waiting import wait_until

WORKER = 7


class Executor:
    """What a reporter knows of its executor."""

    def __init__(self) -> None:
        self.running: list[Attempt] = []
        self.reported: list[Attempt] = []
        self.busy = False


@pytest.fixture
def executor() -> Executor:
    return Executor()


@pytest.fixture
def reporter(executor: Executor) -> Reporter:
    return Reporter(
        worker_id=WORKER,
        running=lambda: executor.running,
        clock_at=lambda monotonic: monotonic - time.monotonic() + time.time(),
        reported=executor.reported.extend,
        busy=lambda: executor.busy,
    )


def held(count: int) -> list[Attempt]:
    make_jobs(count)
    return [Attempt(claimed=one) for one in claim(WORKER, limit=count)]


def row(one: Attempt) -> JobExecution:
    return JobExecution.objects.get(pk=one.claimed.execution_id)


@pytest.mark.django_db
class TestWriting:
    """Rounds taken by hand, on the test's own connection."""

    def test_ends_of_every_kind_are_written_in_one_round(
        self, reporter: Reporter, executor: Executor
    ) -> None:
        good, bad, settled = held(3)
        reporter.finished(good, success(good.claimed, '{"a": 1}'))
        reporter.finished(bad, failure(error_code="FLAW"))
        reporter.finished(settled, None)
        reporter._round()
        assert states(good.claimed.job_id) == (Status.SUCCEEDED, [Outcome.SUCCEEDED])
        assert states(bad.claimed.job_id) == (Status.FAILED, [Outcome.FAILED])
        assert states(settled.claimed.job_id)[0] == Status.RUNNING, "it was written by itself"
        assert executor.reported == [good, bad, settled]
        assert reporter._ends == []

    def test_a_late_result_is_recorded_and_said(
        self, reporter: Reporter, executor: Executor, caplog: pytest.LogCaptureFixture
    ) -> None:
        (late,) = held(1)
        queue.report_ended(WORKER, {late.claimed.execution_id: failure()})
        reporter.finished(late, success(late.claimed))
        reporter._round()
        assert trail(late.claimed.job_id)[-1] == EventType.JOB_LATE_RESULT
        assert states(late.claimed.job_id) == (Status.FAILED, [Outcome.FAILED])
        assert "late result was refused" in caplog.text
        assert executor.reported == [late]

    def test_what_an_attempt_wrote_is_stored_with_its_end(self, reporter: Reporter) -> None:
        (one,) = held(1)
        one.open_log().write("stdout", b"half a character: \xc3")
        reporter.finished(one, success(one.claimed))
        reporter._round()
        (stored,) = ExecutionLog.objects.filter(execution=row(one))
        assert (stored.stream, stored.text) == ("stdout", "half a character: \ufffd")
        assert abs(stored.written_at - timezone.now()) < timedelta(seconds=5)

    def test_the_last_progress_is_stored_with_the_end(self, reporter: Reporter) -> None:
        (one,) = held(1)
        one.set_progress(Progress(5.0, 5.0, "all"))
        reporter.finished(one, success(one.claimed))
        reporter._round()
        found = row(one)
        assert (found.progress_done, found.progress_total, found.progress_message) == (5, 5, "all")
        assert found.status == Outcome.SUCCEEDED

    def test_what_runs_is_looked_at_now_and_then(
        self, reporter: Reporter, executor: Executor
    ) -> None:
        (one,) = held(1)
        one.started = time.monotonic() - START_AFTER - 1
        one.open_log().write("log", "first\n")
        one.set_progress(Progress(1.0, None, ""))
        executor.running = [one]
        reporter._round()
        assert row(one).started_at is not None
        assert one.start_reported
        assert row(one).progress_done == 1.0
        one.open_log().write("log", "second\n")
        reporter._round()
        assert ExecutionLog.objects.count() == 1, "the next look is not due yet"
        reporter._next_side = 0.0
        reporter._round()
        texts = ExecutionLog.objects.order_by("sequence").values_list("sequence", "text")
        assert list(texts) == [(1, "first\n"), (2, "second\n")]
        assert trail(one.claimed.job_id).count(EventType.JOB_STARTED) == 1

    def test_a_short_attempt_gets_no_start_of_its_own(
        self, reporter: Reporter, executor: Executor
    ) -> None:
        (one,) = held(1)
        one.started = time.monotonic()
        executor.running = [one]
        reporter._round()
        assert row(one).started_at is None
        assert not one.start_reported

    def test_progress_of_a_lost_execution_is_dropped(
        self, reporter: Reporter, executor: Executor
    ) -> None:
        (one,) = held(1)
        JobExecution.objects.update(worker_id=WORKER + 1)
        one.set_progress(Progress(1.0, None, ""))
        executor.running = [one]
        reporter._round()
        assert row(one).progress_done is None

    def test_the_start_of_an_attempt_is_told_in_the_databases_time(
        self, reporter: Reporter
    ) -> None:
        clock = DatabaseClock()
        clock.compare()
        reporter._clock_at = clock.at
        (one,) = held(1)
        one.started = time.monotonic()
        start = reporter.start_of(one)
        assert isinstance(start, Start)
        assert start.started == pytest.approx(queue.database_time(), abs=2)
        assert (start.number, start.alone) == (1, False)


class Database:
    """The statements of a reporter, refused as told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.refusals: list[Exception] = []
        self.poison: set[int] = set()
        self.succeeded: list[int] = []
        self.ended: list[int] = []
        self.logs: list[tuple[int, int]] = []
        monkeypatch.setattr(queue, "report_succeeded", self._report_succeeded)
        monkeypatch.setattr(queue, "report_ended", self._report_ended)
        monkeypatch.setattr(ExecutionLog.objects, "bulk_create", self._bulk_create)
        monkeypatch.setattr(reporter_module.transaction, "atomic", _Nothing)  # type: ignore[attr-defined]
        fake = SimpleNamespace(close=lambda: None)
        monkeypatch.setattr(reporter_module, "connection", fake)
        monkeypatch.setattr(reporter_module, "RECONNECT_DELAYS", (0.001,) * 5)

    def _refuse(self, ids: Sequence[int]) -> None:
        if self.refusals:
            raise self.refusals.pop(0)
        if self.poison & set(ids):
            raise ValueError("that one cannot be written")

    def _report_succeeded(self, worker_id: int, ends: Sequence[Succeeded]) -> list[int]:
        ids = [end.execution_id for end in ends]
        self._refuse(ids)
        self.succeeded += ids
        return []

    def _report_ended(self, worker_id: int, ends: dict[int, Ending]) -> list[int]:
        self._refuse(list(ends))
        self.ended += list(ends)
        return []

    def _bulk_create(self, rows: Sequence[ExecutionLog], **_: Any) -> None:
        self._refuse([])
        self.logs += [(one.execution_id, one.sequence) for one in rows]


class _Nothing:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Database:
    return Database(monkeypatch)


def done(one: Attempt) -> Succeeded:
    return Succeeded(one.claimed.execution_id, one.claimed.job_id, 1.0, 2.0, None)


def test_what_the_database_does_not_take_is_kept_and_written_later(
    reporter: Reporter, executor: Executor, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    one = attempt()
    one.open_log().write("log", "not to be lost\n")
    reporter.finished(one, done(one))
    database.refusals = [OperationalError("gone"), OperationalError("still gone")]
    reporter._round()
    reporter._round()
    assert (database.succeeded, executor.reported) == ([], [])
    reporter._round()
    assert database.logs == [(one.claimed.execution_id, 1)]
    assert database.succeeded == [one.claimed.execution_id]
    assert executor.reported == [one]
    assert "results are kept" in caplog.text


def test_one_end_that_cannot_be_written_does_not_keep_back_the_others(
    reporter: Reporter, executor: Executor, database: Database
) -> None:
    attempts = [attempt() for _ in range(5)]
    for one in attempts:
        reporter.finished(one, done(one))
    poisoned = attempts[2].claimed.execution_id
    database.poison = {poisoned}
    reporter._round()
    assert len(database.succeeded) == 4
    assert poisoned not in database.succeeded
    assert executor.reported == attempts, "its lease is the ledger's no more, and runs out"
    assert reporter._ends == []


def test_a_connection_lost_while_the_bad_one_is_sought_loses_nothing(
    reporter: Reporter, executor: Executor, database: Database
) -> None:
    first, second = attempt(), attempt()
    for one in (first, second):
        reporter.finished(one, done(one))
    database.refusals = [ValueError("bad batch"), OperationalError("gone")]
    reporter._round()
    assert database.succeeded == [second.claimed.execution_id]
    reporter._round()
    assert database.succeeded[1:] == [first.claimed.execution_id]


def test_ends_are_written_in_batches_in_order(
    reporter: Reporter, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporter_module, "BATCH", 2)
    attempts = [attempt() for _ in range(5)]
    for one in attempts:
        reporter.finished(one, done(one))
    reporter._round()
    assert database.succeeded == [one.claimed.execution_id for one in attempts]


@pytest.fixture
def started(reporter: Reporter) -> Iterator[Callable[[], Reporter]]:
    def start() -> Reporter:
        reporter.start()
        return reporter

    yield start
    reporter.close(5)


def test_the_thread_writes_what_finishes_and_closes_with_nothing_left(
    started: Callable[[], Reporter], database: Database
) -> None:
    reporter = started()
    first, second = attempt(), attempt()
    reporter.finished(first, done(first))
    wait_until(lambda: database.succeeded, what="the first one")
    reporter.finished(second, done(second))
    assert reporter.close(5)
    assert len(database.succeeded) == 2
    assert not reporter.is_alive()


def test_the_thread_survives_whatever_the_database_says(
    started: Callable[[], Reporter], database: Database
) -> None:
    database.refusals = [OperationalError("gone"), RuntimeError("odd"), OperationalError("gone")]
    reporter = started()
    attempts = [attempt() for _ in range(3)]
    for one in attempts:
        reporter.finished(one, done(one))
    wait_until(lambda: len(database.succeeded) == 3, what="all three")


def test_a_close_gives_up_in_time_on_a_database_that_stays_away(
    started: Callable[[], Reporter], database: Database
) -> None:
    database.refusals = [OperationalError("gone")] * 100_000
    reporter = started()
    one = attempt()
    reporter.finished(one, done(one))
    assert not reporter.close(0.1)
    database.refusals.clear()


def test_while_more_comes_ends_are_gathered(
    reporter: Reporter, executor: Executor, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(reporter._closing, "wait", waited.append)
    one = attempt()
    reporter.finished(one, done(one))
    reporter._round()
    assert waited == [], "nothing else is on its way: no added delay"
    executor.busy = True
    reporter.finished(one, done(one))
    reporter._round()
    assert waited == [reporter_module.GATHER_SECONDS]


@pytest.mark.django_db
def test_a_completion_and_its_audit_events_are_one(reporter: Reporter) -> None:
    (one,) = held(1)
    reporter.finished(one, success(one.claimed))
    reporter._round()
    assert fresh(row(one)).status == Outcome.SUCCEEDED
    assert AuditEvent.objects.filter(event_type=EventType.JOB_SUCCEEDED).count() == 1
