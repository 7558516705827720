"""The executor's main thread: what it claims, hands back, hears, and when it stops.

Nothing runs here and no process is started: what whole executors do is tried in tests/processes.
"""

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError
from pytest_django import Settings

from jobs import queue, recovery, registry
from jobs.queue import CANCEL_CHANNEL, Claimed
from jobs.runtime import executor as executor_module
from jobs.runtime.attempt import Attempt
from jobs.runtime.executor import DUE_SECONDS, HAND_BACK_SECONDS, Executor
from jobs.runtime.lanes import ChildLane, Lane, ThreadLane
from jobs.runtime.slots import ThreadSlots
from jobs.settlement import Fate
from jobs.sql import JOBS_CHANNEL
from tests.jobs.runtime.attempts import FakeReporter, claimed
from tests.jobs.runtime.surroundings import Surroundings


class Database:
    """The queue as an executor sees it: what a claim brings, what is due, what is asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.claims: list[dict[str, Any]] = []
        self.pending: list[Claimed] = []
        self.queues = ["default"]
        self.cancels: list[int] = []
        self.wait_for_due: float | None = None
        self.promoted = 0
        self.away = False
        monkeypatch.setattr(queue, "claim", self._claim)
        monkeypatch.setattr(queue, "pending_queues", lambda: list(self.queues))
        monkeypatch.setattr(queue, "cancel_requested", lambda worker_id: list(self.cancels))
        monkeypatch.setattr(queue, "seconds_to_next_due", lambda: self.wait_for_due)
        monkeypatch.setattr(queue, "database_time", lambda: 1e9)
        monkeypatch.setattr(recovery, "promote_due", self._promote)

    def _claim(self, *, limit: int, isolated: bool, **how: Any) -> list[Claimed]:
        if self.away:
            raise OperationalError("gone")
        self.claims.append({"limit": limit, "isolated": isolated, **how})
        if isolated:
            return []
        taken, self.pending = self.pending[:limit], self.pending[limit:]
        return taken

    def _promote(self, limit: int) -> int:
        self.promoted += 1
        return 0


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Database:
    return Database(monkeypatch)


@pytest.fixture
def executor(database: Database, around: Surroundings, monkeypatch: pytest.MonkeyPatch) -> Executor:
    """An executor with two threads and one child, whose slots never start."""
    monkeypatch.setattr(ThreadSlots, "ensure", lambda self, wanted: None)
    executor = Executor(threads=2, processes=1)
    executor.ledger = around.ledger
    executor.reporter = around.reporter  # type: ignore[assignment]
    executor.keeper = SimpleNamespace(alive=lambda: True, dismiss=lambda: None)  # type: ignore[assignment]
    crew = around.crew()
    executor.lanes = (ThreadLane(2, crew), ChildLane(1, crew))
    return executor


def ends(around: Surroundings) -> list[tuple[int, str]]:
    return [(one.claimed.job_id, end.error_code) for one, end in around.reporter.ends if end]  # type: ignore[union-attr]


def waiting(executor: Executor) -> list[int]:
    return sorted(one.claimed.job_id for one in executor.lanes[0].buffer.waiting())


def begin(executor: Executor, job_id: int) -> Attempt:
    """Move a waiting attempt into a slot that does nothing with it."""
    lane = executor.lanes[0]
    held = lane.buffer.remove(job_id)
    assert held is not None
    lane.slots.running[held.claimed.execution_id] = held
    return held


class TestMaking:
    """What an executor makes known of itself."""

    def test_it_takes_its_size_from_the_options(self, settings: Settings) -> None:
        settings.CONTROL_PLANE = settings.CONTROL_PLANE | {
            "executor_threads": 3,
            "executor_processes": 4,
        }
        assert (Executor().threads, Executor().processes) == (3, 4)
        assert (Executor(threads=1).threads, Executor(processes=2).processes) == (1, 2)
        assert Executor().report.slots == 7  # type: ignore[attr-defined]

    def test_it_tells_which_queues_it_serves_and_which_tasks_it_knows(self) -> None:
        noop = "tests.sample_app.tasks.noop"
        report: Any = Executor(queues=["mail", "default"], exclude=[noop]).report
        assert report.queues == ["default", "mail"]
        assert set(report.tasks) == set(registry.known_tasks()) - {noop}


class TestClaim:
    """What is claimed, and when the database is not asked at all."""

    def test_a_tick_claims_for_each_lane_and_enters_the_ledger(
        self, executor: Executor, database: Database, around: Surroundings
    ) -> None:
        database.pending = [claimed(job_id=number) for number in (1, 2, 3)]
        executor.tick()
        first, second = database.claims
        assert (first["limit"], first["isolated"], first["queues"]) == (2, False, ["default"])
        assert (second["limit"], second["isolated"]) == (1, True)
        assert waiting(executor) == [1, 2]
        assert [entry.started for entry in around.ledger.entries()] == [False, False]

    def test_tasks_left_to_others_are_not_claimed(
        self, executor: Executor, database: Database
    ) -> None:
        executor.sources.leave_to_others("app.tasks.theirs")
        executor.tick()
        assert database.claims[0]["exclude"] == {"app.tasks.theirs"}

    def test_a_dry_queue_is_not_asked_again_until_a_notification(
        self, executor: Executor, database: Database
    ) -> None:
        executor.tick()
        executor.tick()
        assert len(database.claims) == 2, "once for each lane"
        executor._heard(JOBS_CHANNEL, "default")
        executor.tick()
        assert len(database.claims) == 4

    def test_with_a_full_buffer_only_what_goes_first_is_claimed(
        self, executor: Executor, database: Database
    ) -> None:
        database.pending = [claimed(job_id=1, priority=3), claimed(job_id=2, priority=-5)]
        executor.tick()
        database.claims.clear()
        executor._heard(JOBS_CHANNEL, "default")
        database.pending = [claimed(job_id=3, priority=50)]
        executor.tick()
        assert database.claims[0]["above_priority"] == -5
        assert waiting(executor) == [1, 2, 3]

    def test_a_full_ledger_claims_nothing(
        self, executor: Executor, database: Database, around: Surroundings
    ) -> None:
        for number in range(around.ledger.room):
            around.ledger.enter(number + 1)
        executor.tick()
        assert database.claims == []

    def test_what_waits_too_long_is_handed_back_uncharged(
        self,
        executor: Executor,
        database: Database,
        around: Surroundings,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        database.pending = [claimed(job_id=1), claimed(job_id=2)]
        executor.tick()
        begin(executor, 1)
        waited = [HAND_BACK_SECONDS - 0.1, HAND_BACK_SECONDS + 0.1]
        monkeypatch.setattr(executor.lanes[0].buffer, "waited", lambda: waited.pop(0))
        executor.tick()
        assert ends(around) == []
        executor.tick()
        assert ends(around) == [(2, "handed_back")]
        ((_, end),) = around.reporter.ends
        assert (end.fate, end.charged) == (Fate.HAND_BACK, False)  # type: ignore[union-attr]

    def test_deadlines_are_watched_while_the_database_is_away(
        self, executor: Executor, database: Database
    ) -> None:
        database.pending = [claimed("slow", "/never", job_id=1)]
        executor.tick()
        running = begin(executor, 1)
        running.deadline = time.monotonic() - 1
        database.away = True
        executor._heard(JOBS_CHANNEL, "default")
        with pytest.raises(OperationalError):
            executor.tick()
        assert running.stop.reason == "timeout"


class TestDue:
    """Jobs whose time comes."""

    def test_the_next_tick_comes_with_the_next_due_time(
        self, executor: Executor, database: Database
    ) -> None:
        database.wait_for_due = 3.0
        wanted = executor.tick()
        assert wanted is not None
        assert 2.5 < wanted <= 3.0
        database.wait_for_due = None
        executor._heard(JOBS_CHANNEL, "default")
        assert executor.tick() == DUE_SECONDS, "asked lately: not at once again"

    def test_without_one_it_is_asked_at_the_slow_poll_only(
        self, executor: Executor, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[int] = []
        monkeypatch.setattr(queue, "seconds_to_next_due", lambda: asked.append(1))
        assert executor.tick() == float("inf")
        executor.tick()
        assert len(asked) == 1

    def test_what_is_due_is_promoted(self, executor: Executor, database: Database) -> None:
        database.wait_for_due = 0.0
        executor.tick()
        assert database.promoted == 0
        executor.tick()
        assert database.promoted == 1


class TestCancel:
    """A cancel reaches what waits and what runs here, by word or by looking."""

    @pytest.fixture
    def running(self, executor: Executor, database: Database) -> Attempt:
        """Job 1 runs, job 2 waits."""
        database.pending = [claimed(job_id=1), claimed(job_id=2)]
        executor.tick()
        return begin(executor, 1)

    def test_a_running_one_is_asked_to_stop(self, executor: Executor, running: Attempt) -> None:
        executor._heard(CANCEL_CHANNEL, "1")
        assert running.stop.reason == "cancel"

    def test_a_waiting_one_is_given_back_at_once(
        self, executor: Executor, running: Attempt, around: Surroundings
    ) -> None:
        executor._heard(CANCEL_CHANNEL, "2")
        assert ends(around) == [(2, "handed_back")]
        assert waiting(executor) == []
        assert not running.stop.is_set()

    @pytest.mark.parametrize("payload", ["3", "", "x", "-1"])
    def test_one_of_another_executor_is_none_of_its_business(
        self, executor: Executor, running: Attempt, around: Surroundings, payload: str
    ) -> None:
        executor._heard(CANCEL_CHANNEL, payload)
        assert not running.stop.is_set()
        assert ends(around) == []

    def test_a_lost_notification_is_made_up_for_by_looking(
        self, executor: Executor, running: Attempt, database: Database
    ) -> None:
        database.cancels = [running.claimed.execution_id]
        executor.sources._cancels_at = 0.0
        executor._look_for_cancels()
        assert running.stop.reason == "cancel"

    def test_nothing_is_looked_for_while_nothing_is_here(
        self, executor: Executor, database: Database
    ) -> None:
        database.cancels = [1]
        executor._look_for_cancels()
        assert executor.sources._cancels_at == 0.0, "the database was not asked"


class TestEnd:
    """How it stops."""

    @pytest.fixture
    def drained(self, executor: Executor, monkeypatch: pytest.MonkeyPatch) -> list[float]:
        """The time until which running attempts may finish, once the drain begins."""
        found: list[float] = []

        def drain(lanes: Any, until: float, hurry: Callable[[], bool]) -> None:
            found.append(until - time.monotonic())
            assert hurry is not None

        monkeypatch.setattr(executor_module.lanes, "drain", drain)  # type: ignore[attr-defined]
        executor.listener = SimpleNamespace(stop=lambda: None)  # type: ignore[assignment]
        monkeypatch.setattr(FakeReporter, "close", lambda self, timeout: True, raising=False)
        return found

    def test_what_waits_is_handed_back_before_anything_is_waited_for(
        self,
        executor: Executor,
        database: Database,
        around: Surroundings,
        drained: list[float],
    ) -> None:
        database.pending = [claimed(job_id=1), claimed(job_id=2)]
        executor.tick()
        executor.teardown()
        assert sorted(ends(around)) == [(1, "handed_back"), (2, "handed_back")]
        assert drained == [pytest.approx(executor.options.shutdown_grace_seconds, abs=1)]
        assert executor.exit_code == 0

    def test_what_a_lane_passed_on_meanwhile_is_handed_back_too(
        self,
        executor: Executor,
        around: Surroundings,
        drained: list[float],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        def pass_on(lanes: tuple[Lane, ...], until: float, hurry: object) -> None:
            lanes[1].add([around.attempt(job_id=9)])

        monkeypatch.setattr(executor_module.lanes, "drain", pass_on)  # type: ignore[attr-defined]
        executor.teardown()
        assert ends(around) == [(9, "handed_back")]

    def test_results_that_cannot_be_written_make_the_exit_code_1(
        self, executor: Executor, drained: list[float], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        dismissed: list[bool] = []
        executor.keeper = SimpleNamespace(dismiss=lambda: dismissed.append(True))  # type: ignore[assignment]
        monkeypatch.setattr(FakeReporter, "close", lambda self, timeout: False)
        executor.teardown()
        assert (executor.exit_code, dismissed) == (1, [True])

    def test_an_end_before_the_beginning_is_no_error(self, database: Database) -> None:
        Executor().teardown()

    def test_a_dead_keeper_stops_it_with_exit_code_1(
        self, executor: Executor, caplog: pytest.LogCaptureFixture
    ) -> None:
        executor.keeper = SimpleNamespace(alive=lambda: False)  # type: ignore[assignment]
        executor.tick()
        assert executor.stopping.is_set()
        assert executor.exit_code == 1
        assert "the keeper process died" in caplog.text

    def test_once_ends_when_nothing_is_claimable_and_nothing_runs(
        self, executor: Executor, database: Database
    ) -> None:
        database.pending = [claimed(job_id=1)]
        looks: list[int] = []

        def finish(seconds: float) -> None:
            looks.append(len(database.claims))
            for number in waiting(executor):
                begin(executor, number)
            if len(looks) == 3:
                executor.lanes[0].slots.running.clear()
                executor._heard(JOBS_CHANNEL, "")

        executor.pause = finish  # type: ignore[method-assign]
        executor.once()
        assert 3 <= len(looks) <= 5

    def test_once_ends_on_a_signal(self, executor: Executor, database: Database) -> None:
        database.pending = [claimed(job_id=number) for number in range(1, 9)]
        executor.pause = lambda seconds: executor.stop("SIGTERM")  # type: ignore[method-assign]
        executor.once()
        assert len(database.claims) <= 2

    def test_what_is_written_leaves_the_ledger_and_wakes_an_idle_executor(
        self, executor: Executor, around: Surroundings
    ) -> None:
        one = around.attempt()
        executor._reported([one])
        assert around.ledger.entries() == []
        assert executor._wake.is_set()
