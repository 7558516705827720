"""Lanes run attempts in their slots, watch their time, and give up on those that will not stop."""

import logging
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError

from controlplane import conf
from jobs import queue
from jobs.lifecycle import Outcome
from jobs.queue import Succeeded
from jobs.runtime import lanes as lanes_module
from jobs.runtime.attempt import Attempt
from jobs.runtime.lanes import (
    LEASE_MARGIN,
    ChildLane,
    ThreadLane,
)
from jobs.settlement import Fate
from tests.factories import make_worker
from tests.jobs.runtime.surroundings import KILL_GRACE, Surroundings
from tests.waiting import wait_until


def test_attempts_run_and_their_ends_are_reported(around: Surroundings, lane: ThreadLane) -> None:
    good, bad = around.attempt("add", 1, 2), around.attempt("fail")
    lane.add([good, bad])
    assert isinstance(around.end_of(good), Succeeded)
    ending = around.end_of(bad)
    assert (ending.outcome, ending.error_code) == (Outcome.FAILED, "FLAW")
    assert around.woken >= 1, "the main thread should claim again"


def test_a_failed_attempt_is_one_line_in_the_log(
    around: Surroundings, lane: ThreadLane, caplog: pytest.LogCaptureFixture
) -> None:
    one = around.attempt("fail", "first line\nsecond line")
    lane.add([one])
    around.end_of(one)
    (line,) = [m for m in caplog.messages if m.startswith(f"job {one.claimed.job_id} ")]
    assert line.endswith("attempt 1: FAILED tests.sample_app.tasks.Flaw: first line")


def test_the_ledger_knows_of_an_attempt_before_its_first_line_runs(
    around: Surroundings, lane: ThreadLane, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def look(*_: Any, **__: Any) -> Any:
        seen.extend(around.ledger.entries())
        return None

    monkeypatch.setattr(lanes_module, "run", look)
    one = around.attempt("deaf", "/no/such/file")
    before = time.monotonic()
    lane.add([one])
    wait_until(lambda: seen, what="a start")
    (entry,) = seen
    assert (entry.execution_id, entry.started) == (one.claimed.execution_id, True)
    hard = 0.5 + KILL_GRACE + LEASE_MARGIN
    assert before + hard <= entry.deadline <= time.monotonic() + hard
    assert one.deadline == pytest.approx(one.started + 0.5)


def test_an_attempt_without_a_timeout_has_no_deadline(
    around: Surroundings, lane: ThreadLane
) -> None:
    one = around.attempt("noop")
    lane.add([one])
    around.end_of(one)
    assert one.deadline is None
    assert around.ledger.entries()[0].deadline == 0.0


def test_a_fault_of_our_own_costs_the_attempt_not_the_slot(
    around: Surroundings, lane: ThreadLane, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("ours")

    one, other = around.attempt(), around.attempt()
    with monkeypatch.context() as broken:
        broken.setattr(lanes_module, "run", fail)
        lane.add([one])
        assert around.end_of(one).error_code == "executor_error"
    lane.add([other])
    assert isinstance(around.end_of(other), Succeeded)


def test_a_database_that_is_away_before_the_start_hands_the_attempt_back_uncharged(
    around: Surroundings, lane: ThreadLane, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> Any:
        raise OperationalError("gone")

    monkeypatch.setattr(ThreadLane, "_elsewhere", away)
    one = around.attempt()
    lane.add([one])
    ending = around.end_of(one)
    assert (ending.fate, ending.charged) == (Fate.HAND_BACK, False)
    assert ending.error_code == "database_away"


class TestRoom:
    """How much a lane claims ahead of its free slots."""

    def test_before_anything_is_measured_it_is_the_free_slots(self, lane: ThreadLane) -> None:
        assert lane.room(conf.options()) == 2

    def test_short_attempts_are_claimed_ahead_by_doubling(self, lane: ThreadLane) -> None:
        lane.buffer.typical_seconds = 0.0001
        assert [lane.room(conf.options()) for _ in range(3)] == [6, 10, 18]
        rooms = [lane.room(conf.options()) for _ in range(20)]
        assert rooms[-1] == conf.options().claim_batch

    def test_long_attempts_are_not(self, lane: ThreadLane) -> None:
        lane.buffer.typical_seconds = 60.0
        assert lane.room(conf.options()) == 2

    def test_slots_that_are_full_of_long_ones_tell_more_than_what_was_before(
        self, around: Surroundings, lane: ThreadLane
    ) -> None:
        """Or what is claimed ahead is handed back unstarted, again and again."""
        lane.buffer.typical_seconds = 0.0001
        for seconds in (3.0, 2.0):
            one = around.attempt()
            one.started = time.monotonic() - seconds
            lane.slots.running[one.claimed.execution_id] = one
        assert lane.room(conf.options()) == 0
        lane.slots.running.popitem()
        assert lane.room(conf.options()) > 2, "a free slot: short ones may come"
        lane.slots.running.clear()

    def test_with_enough_waiting_it_claims_nothing(
        self, around: Surroundings, lane: ThreadLane
    ) -> None:
        lane.buffer.typical_seconds = 0.0001
        lane.buffer.put([around.attempt() for _ in range(3)])
        assert lane.room(conf.options()) == 0
        assert lane.low_water == 2

    def test_a_child_lane_claims_for_free_slots_only(self, around: Surroundings) -> None:
        lane = ChildLane(3, around.crew())
        assert lane.room(conf.options()) == 3
        lane.buffer.put([around.attempt()])
        assert lane.room(conf.options()) == 2


class TestElsewhere:
    """Attempts that another lane, or another executor, must run."""

    @pytest.mark.parametrize(("task", "suspect"), [("prints", False), ("noop", True)])
    def test_what_needs_a_child_is_passed_on_unbegun(
        self, around: Surroundings, lane: ThreadLane, task: str, suspect: bool
    ) -> None:
        passed: list[Attempt] = []
        lane.reroute = passed.extend
        one = around.attempt(task, suspect=suspect)
        lane.add([one])
        wait_until(lambda: passed == [one] and not lane.slots.running, what="a passed one")
        assert (one.started, one.ended, around.reporter.ends) == (0.0, False, [])

    @pytest.mark.django_db(transaction=True)
    def test_an_unknown_task_goes_to_an_executor_that_knows_it(self, around: Surroundings) -> None:
        """Or nowhere, when there is none: the executor itself does not count."""
        own, task = make_worker(tasks=["app.tasks.theirs"]), "app.tasks.theirs"
        lane = ThreadLane(1, around.crew(own.pk))
        alone = around.attempt(task)
        lane._work(alone)
        assert around.end_of(alone).reason == "missing_task"
        make_worker(tasks=[task])
        known = around.attempt(task)
        lane._work(known)
        ending = around.end_of(known)
        assert (ending.fate, ending.charged) == (Fate.HAND_BACK, False)
        assert ending.error_code == "unknown_task"
        assert around.foreign == [task]


class TestChildLane:
    """Attempts in child processes; the child itself is tried in test_children.py."""

    @pytest.fixture
    def starts(self, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
        found: list[Any] = []
        monkeypatch.setattr(queue, "mark_started", lambda worker_id, rows: found.extend(rows))
        return found

    def lane_with(self, around: Surroundings, run: Callable[..., Any]) -> ChildLane:
        lane = ChildLane(1, around.crew())
        child = SimpleNamespace(run=run, worn_out=lambda: False, close=lambda: None, pid=0)
        lane.pool._make = lambda ledger: child  # type: ignore[assignment,return-value]
        return lane

    def test_the_start_is_proven_before_the_child_begins(
        self, around: Surroundings, starts: list[Any]
    ) -> None:
        order: list[str] = []

        def run(one: Attempt, **_: Any) -> Any:
            order.append(f"{len(starts)} proven, reported={one.start_reported}")
            return Succeeded(one.claimed.execution_id, one.claimed.job_id, 1.0, 2.0, None)

        lane = self.lane_with(around, run)
        one = around.attempt(suspect=True)
        lane._work(one)
        assert order == ["1 proven, reported=True"]
        assert one.alone
        (entry,) = around.ledger.entries()
        assert (entry.started, entry.alone) == (True, True)
        assert isinstance(around.end_of(one), Succeeded)

    def test_an_attempt_whose_start_cannot_be_proven_does_not_begin(
        self, around: Surroundings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away(*_: Any) -> None:
            raise OperationalError("gone")

        monkeypatch.setattr(queue, "mark_started", away)
        began: list[Attempt] = []
        lane = self.lane_with(around, lambda one, **_: began.append(one))
        one = around.attempt()
        lane._work(one)
        assert began == []
        assert around.end_of(one).charged is False


def test_nothing_of_a_lane_logs_an_error_for_a_success(
    around: Surroundings, lane: ThreadLane, caplog: pytest.LogCaptureFixture
) -> None:
    one = around.attempt()
    lane.add([one])
    around.end_of(one)
    assert [r for r in caplog.records if r.levelno >= logging.WARNING] == []
