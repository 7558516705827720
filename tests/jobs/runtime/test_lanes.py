"""Lanes run attempts in their slots, watch their time, and give up on those that will not stop."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError
from pytest_django import Settings

from controlplane import conf
from jobs import queue
from jobs.lifecycle import Outcome
from jobs.queue import Succeeded
from jobs.runtime import lanes as lanes_module
from jobs.runtime.attempt import Attempt
from jobs.runtime.lanes import (
    END_MARGIN,
    LEASE_MARGIN,
    WATCH_SECONDS,
    ChildLane,
    Crew,
    Lane,
    ThreadLane,
    drain,
)
from jobs.runtime.ledger import Ledger
from jobs.settlement import Fate
from tests.factories import make_worker
from tests.jobs.runtime.attempts import CLOCK, FakeReporter, attempt
from tests.sample_app.witness import testimony
from tests.waiting import wait_until

KILL_GRACE = 0.2


class Surroundings:
    """What a lane works with, kept to be looked at."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.reporter = FakeReporter()
        self.foreign: list[str] = []
        self.woken = 0
        self.hurry = threading.Event()

    def wake(self) -> None:
        self.woken += 1

    def crew(self, worker_id: int = 7) -> Crew:
        return Crew(
            worker_id=worker_id,
            clock=CLOCK,
            ledger=self.ledger,
            reporter=self.reporter,  # type: ignore[arg-type]  # it only keeps what it is told
            foreign=self.foreign.append,
            wake=self.wake,
        )

    def attempt(self, task: str = "noop", *args: Any, **fields: Any) -> Attempt:
        """An attempt that the ledger knows of."""
        one = attempt(task, *args, **fields)
        one.place = self.ledger.enter(one.claimed.execution_id)
        return one

    def end_of(self, one: Attempt) -> Any:
        return wait_until(self.reporter.end_of(one), what="an end")


@pytest.fixture
def around() -> Surroundings:
    return Surroundings()


@pytest.fixture
def lane(around: Surroundings, settings: Settings) -> Iterator[ThreadLane]:
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"kill_grace_seconds": KILL_GRACE}
    lane = ThreadLane(2, around.crew())
    yield lane
    lane.slots.close()


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


def watch_until(lane: Lane, predicate: Callable[[], bool]) -> None:
    """Look at the lane again and again, as the main thread does."""

    def look() -> bool:
        lane.watch()
        return predicate()

    wait_until(look, what="what the watch leads to")


class TestTime:
    """Deadlines, and attempts that do not care."""

    def test_a_task_is_told_when_its_time_is_up(
        self, around: Surroundings, lane: ThreadLane, witness: str
    ) -> None:
        one = around.attempt("slow", "/no/such/file", witness, timeout_seconds=0.05)
        lane.add([one])
        wait_until(lambda: testimony(witness), what="a start")
        watch_until(lane, one.stop.is_set)
        around.end_of(one)
        assert testimony(witness)[-1] == "stopped timeout"
        assert not one.abandoned

    def test_one_that_does_not_stop_is_abandoned_and_its_end_reported_once(
        self,
        around: Surroundings,
        lane: ThreadLane,
        witness: str,
        tmp_path: Any,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        monkeypatch.setattr(lanes_module, "END_MARGIN", 0.0)
        until = tmp_path / "go"
        one = around.attempt("deaf", str(until), witness, timeout_seconds=0.01)
        lane.add([one])
        wait_until(lambda: testimony(witness), what="a start")
        watch_until(lane, lambda: one.abandoned)
        ending = around.end_of(one)
        assert (ending.outcome, ending.error_code, ending.charged) == (
            Outcome.TIMED_OUT,
            "timeout",
            True,
        )
        assert f"job {one.claimed.job_id}: the attempt ignored its timeout" in caplog.text
        assert lane.slots.free == 2, "its slot serves another"
        other = around.attempt("add", 1, 1)
        lane.add([other])
        assert isinstance(around.end_of(other), Succeeded)

        until.touch()
        wait_until(lambda: testimony(witness)[-1] == "finished", what="the end of the deaf one")
        wait_until(
            lambda: "slot-1" not in {thread.name for thread in threading.enumerate()},
            what="the end of its thread",
        )
        assert sum(ended is one for ended, _ in around.reporter.ends) == 1

    def test_one_that_was_told_has_a_grace(
        self, around: Surroundings, lane: ThreadLane, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one = around.attempt()
        lane.slots.running[one.claimed.execution_id] = one
        one.stop.set("cancel")
        given_up = []
        for late in (-0.01, 0.01):
            lane._overstayed(one, one.stop.since + KILL_GRACE + END_MARGIN + late)
            given_up.append(one.abandoned)
        assert given_up == [False, True]
        assert around.end_of(one).outcome == Outcome.CANCELLED

    def test_a_drain_has_a_time_of_its_own(self, around: Surroundings, lane: ThreadLane) -> None:
        one = around.attempt()
        lane.slots.running[one.claimed.execution_id] = one
        lane._overstayed(one, 1e12)
        one.stop.set("shutdown")
        lane._overstayed(one, 1e12)
        assert not one.abandoned
        lane.slots.running.clear()

    def test_it_is_looked_at_while_something_has_a_deadline_or_waits(
        self, around: Surroundings, lane: ThreadLane
    ) -> None:
        assert lane.next_look() == float("inf")
        one = around.attempt()
        lane.slots.running[one.claimed.execution_id] = one
        assert lane.next_look() == float("inf")
        one.deadline = 1.0
        assert lane.next_look() == WATCH_SECONDS
        one.deadline = None
        one.stop.set("cancel")
        assert lane.next_look() == WATCH_SECONDS
        lane.slots.running.clear()
        lane.buffer.put([around.attempt()])
        assert lane.next_look() == WATCH_SECONDS


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


class TestDrain:
    """The end of an executor: let finish, ask, give up."""

    def never(self) -> bool:
        return False

    @pytest.fixture
    def lanes(self, around: Surroundings, lane: ThreadLane) -> list[Lane]:
        return [lane, ThreadLane(1, around.crew())]

    def begin(self, around: Surroundings, lane: Lane, task: str, *args: Any) -> Attempt:
        one = around.attempt(task, *args)
        lane.add([one])
        wait_until(lambda: lane.slots.running and not len(lane.buffer), what="a start")
        return one

    def test_idle_lanes_end_at_once(self, lanes: list[Lane]) -> None:
        drain(lanes, time.monotonic() + 60, self.never)

    def test_what_ends_in_time_is_not_disturbed(
        self, around: Surroundings, lanes: list[Lane], tmp_path: Any
    ) -> None:
        until = tmp_path / "go"
        ones = [self.begin(around, lane, "slow", str(until)) for lane in lanes]
        threading.Timer(0.05, until.touch).start()
        drain(lanes, time.monotonic() + 60, self.never)
        assert [around.end_of(one).result for one in ones] == ['"finished"'] * 2

    def test_after_the_grace_all_lanes_are_asked_at_once(
        self, around: Surroundings, lanes: list[Lane], witness: str
    ) -> None:
        ones = [self.begin(around, lane, "slow", "/no/such/file", witness) for lane in lanes]
        drain(lanes, time.monotonic(), self.never)
        assert [around.end_of(one).result for one in ones] == ['"stopped"'] * 2
        assert testimony(witness)[-2:] == ["stopped shutdown"] * 2

    def test_what_does_not_stop_is_interrupted(
        self,
        around: Surroundings,
        lanes: list[Lane],
        tmp_path: Any,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(lanes_module, "LEASE_MARGIN", 0.0)
        until = tmp_path / "go"
        one = self.begin(around, lanes[0], "hears_nothing", str(until))
        drain(lanes, time.monotonic(), self.never)
        ending = around.end_of(one)
        assert (ending.outcome, ending.error_code) == (Outcome.INTERRUPTED, "shutdown")
        until.touch()

    def test_in_a_hurry_nothing_is_waited_for(
        self, around: Surroundings, lanes: list[Lane], tmp_path: Any
    ) -> None:
        until = tmp_path / "go"
        one = self.begin(around, lanes[0], "hears_nothing", str(until))
        asked = [False, True]  # the second signal comes while it waits
        before = time.monotonic()
        drain(lanes, before + 60, lambda: asked.pop(0) if len(asked) > 1 else True)
        assert time.monotonic() - before < 10
        assert around.end_of(one).outcome == Outcome.INTERRUPTED
        until.touch()

    def test_timeouts_are_watched_meanwhile_in_every_lane(
        self, around: Surroundings, lanes: list[Lane], witness: str
    ) -> None:
        one = around.attempt("slow", "/no/such/file", witness, timeout_seconds=0.05)
        lanes[1].add([one])
        wait_until(lambda: testimony(witness), what="a start")
        drain(lanes, time.monotonic() + 60, self.never)
        assert testimony(witness)[-1] == "stopped timeout"


def test_nothing_of_a_lane_logs_an_error_for_a_success(
    around: Surroundings, lane: ThreadLane, caplog: pytest.LogCaptureFixture
) -> None:
    one = around.attempt()
    lane.add([one])
    around.end_of(one)
    assert [r for r in caplog.records if r.levelno >= logging.WARNING] == []
