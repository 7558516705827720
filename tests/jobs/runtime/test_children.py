"""The executor's side of its children: their death is an outcome, and they are replaced."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from pytest_django import Settings

from jobs.lifecycle import Outcome
from jobs.queue import Succeeded
from jobs.runtime import children as children_module
from jobs.runtime.attempt import Attempt
from jobs.runtime.children import Child, ChildPool, _how
from jobs.runtime.context import StopSignal
from jobs.runtime.ledger import Ledger
from tests.jobs.runtime.attempts import attempt
from tests.sample_app.witness import testimony
from tests.waiting import wait_until

pytestmark = pytest.mark.processes

Begin = Callable[[Attempt], Any]


def gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("exits_hard", "The process that ran it died: exit code 7."),
        (
            "crash_child",
            "The process that ran it died: SIGKILL (out of memory, or killed from outside).",
        ),
    ],
)
def test_the_death_of_a_child_is_an_outcome(
    begin: Begin, child: Child, task: str, message: str
) -> None:
    ending = begin(attempt(task)).end()
    assert (ending.outcome, ending.error_code) == (Outcome.FAILED, "crashed")
    assert (ending.crashed, ending.alone, ending.charged) == (True, True, True)
    assert ending.error_message == message
    assert ending.started_at is not None
    assert child.worn_out()


def test_a_child_that_died_while_idle_is_told_like_one_that_died_at_work(
    begin: Begin, child: Child
) -> None:
    os.kill(child.pid, signal.SIGKILL)
    wait_until(lambda: child.worn_out(), what="a dead child")
    assert begin(attempt("noop")).end().error_code == "crashed"


def test_what_it_printed_before_it_died_is_kept(
    begin: Begin, child: Child, witness: str, tmp_path: Path
) -> None:
    one = attempt("prints_then_waits", "last words\n", str(tmp_path / "never"), witness)
    running = begin(one)
    wait_until(lambda: testimony(witness), what="a start")
    os.kill(child.pid, signal.SIGKILL)
    running.end()
    assert "".join(chunk.text for chunk in one.open_log().take()) == "last words\n"


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("timeout", Outcome.TIMED_OUT),
        ("cancel", Outcome.CANCELLED),
        ("shutdown", Outcome.INTERRUPTED),
    ],
)
def test_one_that_does_not_stop_is_killed_with_all_it_started(
    begin: Begin, child: Child, witness: str, tmp_path: Path, reason: str, outcome: Outcome
) -> None:
    running = begin(attempt("ignores_sigterm", witness, str(tmp_path / "never")))
    wait_until(lambda: len(testimony(witness)) == 2, what="child and grandchild")
    running.attempt.stop.set(reason)
    ending = running.end()
    assert (ending.outcome, ending.error_code, ending.crashed) == (outcome, reason, False)
    pids = [int(line.split()[1]) for line in testimony(witness)]
    wait_until(lambda: all(gone(pid) for pid in pids), what="the end of the tree")


def test_a_fork_that_holds_the_line_open_does_not_hide_the_death(
    begin: Begin, child: Child, witness: str, tmp_path: Path
) -> None:
    until = tmp_path / "go"
    running = begin(attempt("forks_and_stays", witness, str(until)))
    wait_until(lambda: testimony(witness), what="a fork")
    os.kill(child.pid, signal.SIGKILL)
    assert running.end().error_code == "crashed"
    until.touch()


def test_a_close_ends_the_child_and_what_its_tasks_left_behind(
    begin: Begin, child: Child, ledger: Ledger, witness: str
) -> None:
    begin(attempt("forks", witness)).end()
    left = int(testimony(witness)[0].split()[1])
    assert not gone(left)
    child.close()
    assert gone(child.pid)
    wait_until(lambda: gone(left), what="the end of what was left behind")
    assert ledger.groups() == []


def test_a_child_is_worn_out_by_attempts(begin: Begin, child: Child, settings: Settings) -> None:
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"child_max_attempts": 2}
    begin(attempt("noop")).end()
    assert not child.worn_out()
    begin(attempt("noop")).end()
    assert child.worn_out()
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"child_max_attempts": 0}
    assert not child.worn_out(), "0: never"


def test_a_child_is_worn_out_by_memory(begin: Begin, child: Child, settings: Settings) -> None:
    begin(attempt("keep_memory", 40)).end()
    assert child.memory_mb > 40
    assert not child.worn_out()
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"child_max_memory_mb": 40}
    assert child.worn_out()
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"child_max_memory_mb": 0}
    assert not child.worn_out(), "0: no limit"


class FakeChild:
    def __init__(self, ledger: Ledger) -> None:
        self.closed = False
        self.old = False
        self.pid = 2**22 + 1  # beyond the largest process id

    def worn_out(self) -> bool:
        return self.old

    def close(self) -> None:
        self.closed = True


class TestPool:
    """Children are kept for reuse, unless something speaks against it."""

    made: list[FakeChild]

    @pytest.fixture
    def pool(self) -> Iterator[ChildPool]:
        self.made = []

        def make(ledger: Ledger) -> Any:
            self.made.append(FakeChild(ledger))
            return self.made[-1]

        yield ChildPool(Ledger(), make)

    def test_one_child_serves_one_attempt_after_the_other(self, pool: ChildPool) -> None:
        for _ in range(3):
            with pool.child(StopSignal()):
                pass
        assert [child.closed for child in self.made] == [False]

    def test_two_attempts_at_once_need_two(self, pool: ChildPool) -> None:
        with pool.child(StopSignal()) as first, pool.child(StopSignal()) as second:
            assert first is not second
        assert len(self.made) == 2

    def test_one_that_was_asked_to_stop_is_not_kept(self, pool: ChildPool) -> None:
        stop = StopSignal()
        with pool.child(stop):
            stop.set("cancel")
        assert self.made[0].closed

    def test_one_whose_attempt_broke_is_not_kept(self, pool: ChildPool) -> None:
        def use() -> None:
            with pool.child(StopSignal()):
                raise RuntimeError("ours")

        with pytest.raises(RuntimeError, match="ours"):
            use()
        assert self.made[0].closed

    def test_one_that_is_worn_out_is_replaced(self, pool: ChildPool) -> None:
        with pool.child(StopSignal()):
            self.made[0].old = True
        assert self.made[0].closed
        with pool.child(StopSignal()):
            pass
        self.made[1].old = True  # it died while it waited
        with pool.child(StopSignal()):
            assert len(self.made) == 3
        assert [child.closed for child in self.made] == [True, True, False]

    def test_a_close_ends_idle_and_busy_ones(
        self, pool: ChildPool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ended: list[int] = []
        monkeypatch.setattr(
            children_module, "terminate_tree", lambda pid, grace_seconds: ended.append(pid)
        )
        with pool.child(StopSignal()), pool.child(StopSignal()):
            pass
        with pool.child(StopSignal()) as busy:
            pool.close()
            assert ended == [busy.pid]
        assert sum(child.closed for child in self.made) == 1


@pytest.mark.parametrize(
    ("exitcode", "how"),
    [
        (None, "it cannot be reached"),
        (0, "exit code 0"),
        (7, "exit code 7"),
        (-signal.SIGSEGV, "SIGSEGV"),
        (-signal.SIGKILL, "SIGKILL (out of memory, or killed from outside)"),
    ],
)
def test_how_a_child_died_is_said_in_words(exitcode: int | None, how: str) -> None:
    assert _how(exitcode) == how


def test_a_success_after_a_long_line_of_output_is_one(begin: Begin) -> None:
    assert isinstance(begin(attempt("writes_output", "y" * 300_000)).end(), Succeeded)
