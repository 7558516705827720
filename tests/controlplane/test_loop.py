"""The loop that every process is: what it survives, how it is stopped, what it says meanwhile."""

import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import InterfaceError, OperationalError

from controlplane import loop as loop_module
from controlplane.loop import Loop, describe
from controlplane.preflight import UnusableDatabase

Step = Callable[[Loop], float | None]


class FakeReport:
    def __init__(self) -> None:
        self.worker_id = 0
        self.calls: list[str] = []
        self.failures: list[Exception] = []

    def _call(self, name: str) -> None:
        self.calls.append(name)
        if self.failures:
            raise self.failures.pop(0)

    def start(self) -> None:
        self._call("start")
        self.worker_id = 7

    def refresh(self) -> None:
        self._call("refresh")

    def stop(self) -> None:
        self._call("stop")


class Steps(Loop):
    """Takes one of the given steps at each tick, and stops after the last."""

    name = "steps"

    def __init__(
        self, *steps: Step, tick_seconds: float = 0.001, report_seconds: float = 60.0
    ) -> None:
        self.fake = FakeReport()
        super().__init__(tick_seconds=tick_seconds, report=self.fake, report_seconds=report_seconds)
        self.steps = list(steps)
        self.ended = 0

    def tick(self) -> float | None:
        if not self.steps:
            self.stop("no more steps")
            return None
        return self.steps.pop(0)(self)

    def teardown(self) -> None:
        self.ended += 1


def nothing(_loop: Loop) -> float | None:
    return None


def raises(error: Exception) -> Step:
    def step(_loop: Loop) -> float | None:
        raise error

    return step


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No database, short pauses, and the test's own signal handlers back at the end."""
    monkeypatch.setattr(loop_module, "require_database", lambda: None)
    monkeypatch.setattr(loop_module, "RECONNECT_DELAYS", (0.001,) * 5)
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """Names of the events logged so far."""
    caplog.set_level(logging.INFO, logger="controlplane")
    return lambda: [getattr(record, "event", "") for record in caplog.records]


def test_it_starts_ticks_and_ends_in_order(said: Callable[[], list[str]]) -> None:
    loop = Steps(nothing, nothing)
    assert loop.run() == 0
    assert loop.steps == []
    assert (loop.fake.calls, loop.ended) == (["start", "stop"], 1)
    assert said() == ["loop.started", "loop.stopping", "loop.stopped"]


def test_once_ticks_once() -> None:
    loop = Steps(nothing, nothing)
    assert loop.run(once=True) == 0
    assert len(loop.steps) == 1
    assert loop.fake.calls == ["start", "stop"]


@pytest.mark.parametrize("error", [ValueError("bad"), OperationalError("gone")])
def test_once_tells_by_its_exit_code_that_the_tick_failed(
    error: Exception, said: Callable[[], list[str]]
) -> None:
    loop = Steps(raises(error))
    assert loop.run(once=True) == 1
    assert "loop.tick_failed" in said()
    assert loop.ended == 1


def test_a_fault_in_a_tick_costs_that_tick_only(said: Callable[[], list[str]]) -> None:
    loop = Steps(raises(ValueError("bad")), nothing, nothing)
    assert loop.run() == 0
    assert loop.steps == []
    assert said().count("loop.tick_failed") == 1


@pytest.mark.parametrize("kind", [OperationalError, InterfaceError])
def test_a_lost_database_is_said_once_a_second_and_its_return_once(
    kind: type[Exception], said: Callable[[], list[str]]
) -> None:
    loop = Steps(*[raises(kind("gone\nand more"))] * 5, nothing, nothing)
    assert loop.run() == 0
    assert said().count("database.lost") == 1
    assert said().count("database.back") == 1
    assert "loop.tick_failed" not in said()


def test_a_database_that_is_away_at_the_start_is_waited_for(
    said: Callable[[], list[str]],
) -> None:
    loop = Steps(nothing)
    loop.fake.failures = [OperationalError("away")] * 3
    assert loop.run() == 0
    assert loop.fake.calls == ["start"] * 4 + ["stop"]
    assert said()[:3] == ["database.lost", "database.back", "loop.started"]


def test_a_stop_ends_the_wait_for_the_database() -> None:
    loop = Steps(nothing)
    loop.stop("not wanted any more")
    assert loop.run() == 0
    assert (loop.fake.calls, len(loop.steps), loop.ended) == ([], 1, 1)


def test_an_unusable_database_is_one_line_and_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse() -> None:
        raise UnusableDatabase("It is read-only.")

    monkeypatch.setattr(loop_module, "require_database", refuse)
    loop = Steps(nothing)
    assert loop.run() == 1
    assert loop.fake.calls == [], "there is no row to write to, or no database to write it in"
    errors = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [record.getMessage() for record in errors] == ["steps cannot start: It is read-only."]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_after_the_present_tick(number: signal.Signals) -> None:
    finished: list[bool] = []

    def interrupted(loop: Loop) -> float | None:
        os.kill(os.getpid(), number)
        finished.append(loop.stopping.is_set())
        return 60.0

    loop = Steps(interrupted, nothing, tick_seconds=60.0)
    assert loop.run() == 0
    assert (finished, len(loop.steps)) == ([True], 1)
    assert loop.stop_reason == number.name
    assert not loop.hurry.is_set()


def test_a_second_signal_asks_for_hurry() -> None:
    def interrupted(loop: Loop) -> float | None:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        return None

    loop = Steps(interrupted)
    assert loop.run() == 0
    assert loop.hurry.is_set()
    assert loop.stop_reason == "SIGTERM", "the first reason stands"


def test_a_tick_may_want_the_next_one_at_once() -> None:
    loop = Steps(lambda _: 0.0, lambda _: 0.0, lambda loop: loop.stop("done"), tick_seconds=60.0)
    assert loop.run() == 0
    assert loop.steps == []


def test_a_wake_up_during_a_tick_is_not_lost() -> None:
    loop = Steps(lambda loop: loop.wake(), lambda loop: loop.stop("done"), tick_seconds=60.0)
    assert loop.run() == 0
    assert loop.steps == []


def test_it_reports_itself_as_often_as_asked_and_again_after_a_failure() -> None:
    loop = Steps(*[nothing] * 4, report_seconds=0.0)
    assert loop.run() == 0
    assert loop.fake.calls.count("refresh") >= 4

    failing = Steps(*[nothing] * 4, report_seconds=0.0)
    failing.setup = lambda: failing.fake.failures.append(OperationalError("gone"))  # type: ignore[method-assign]
    assert failing.run() == 0
    assert failing.fake.calls.count("refresh") >= 4


def test_a_report_that_fails_at_the_end_does_not_spoil_the_exit() -> None:
    def last(loop: Loop) -> float | None:
        loop.report.failures.append(OperationalError("gone"))  # type: ignore[attr-defined]
        loop.stop("done")
        return None

    assert Steps(last).run() == 0


def test_teardown_comes_also_after_a_failed_set_up() -> None:
    loop = Steps(nothing)
    loop.setup = raises_at_setup  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="no setup"):
        loop.run()
    assert (loop.ended, loop.fake.calls) == (1, ["start", "stop"])


def raises_at_setup() -> None:
    raise RuntimeError("no setup")


def test_a_loop_without_a_tick_says_what_is_missing() -> None:
    loop = Loop(tick_seconds=1.0, report=FakeReport(), report_seconds=1.0)
    with pytest.raises(NotImplementedError, match="Loop must say"):
        loop.tick()


def test_systemd_hears_that_it_is_ready_alive_and_stopping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        Steps(nothing, nothing).run()
        heard = [manager.recv(100).decode() for _ in range(5)]
        with pytest.raises(BlockingIOError):
            manager.recv(100)
    assert heard == ["READY=1", *["WATCHDOG=1"] * 3, "STOPPING=1"]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OperationalError("gone\n\tIs the server running?\n"), "OperationalError: gone"),
        (ValueError(), "ValueError"),
        (ValueError("  \n"), "ValueError"),
    ],
)
def test_an_error_is_described_in_one_line(error: Exception, line: str) -> None:
    assert describe(error) == line
