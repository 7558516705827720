"""The ends that a lane makes: time is up, nobody stops, the executor stops."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from jobs.lifecycle import Outcome
from jobs.queue import Succeeded
from jobs.runtime import lanes as lanes_module
from jobs.runtime.attempt import Attempt
from jobs.runtime.lanes import (
    END_MARGIN,
    WATCH_SECONDS,
    Lane,
    ThreadLane,
    drain,
)
from tests.jobs.runtime.surroundings import KILL_GRACE, Surroundings
from tests.sample_app.witness import testimony
from tests.waiting import wait_until


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
