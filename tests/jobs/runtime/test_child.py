"""Inside a child process: what a task prints, logs and is told, and how its end comes out."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from jobs.lifecycle import Outcome
from jobs.queue import Succeeded
from jobs.runtime.attempt import Attempt
from jobs.runtime.child import _Line
from jobs.runtime.children import Child
from jobs.runtime.context import Progress
from jobs.runtime.ledger import Ledger
from jobs.settlement import Ending, Fate
from tests.jobs.runtime.attempts import attempt, log_of
from tests.sample_app.witness import testimony
from tests.waiting import wait_until

pytestmark = pytest.mark.processes

Begin = Callable[[Attempt], Any]


def test_results_and_failures_come_back_one_after_the_other(begin: Begin) -> None:
    good = begin(attempt("add", 2, 3)).end()
    assert isinstance(good, Succeeded)
    assert good.result == "5"
    bad = begin(attempt("fail", "as asked")).end()
    assert isinstance(bad, Ending)
    assert (bad.error_code, bad.error_message, bad.alone) == ("FLAW", "as asked", True)
    assert "raise Flaw(message)" in bad.traceback


@pytest.mark.parametrize(
    ("task", "error_class"),
    [
        ("exits", "builtins.SystemExit"),
        ("interrupts", "builtins.KeyboardInterrupt"),
        ("raises_unprintable", "tests.sample_app.tasks.Unprintable"),
    ],
)
def test_what_would_end_a_program_does_not_end_the_child(
    begin: Begin, task: str, error_class: str
) -> None:
    assert begin(attempt(task)).end().error_class == error_class
    assert isinstance(begin(attempt("noop")).end(), Succeeded)


def test_what_it_prints_and_logs_is_kept_by_stream(begin: Begin) -> None:
    one = attempt("prints", 2)
    begin(one).end()
    printed = log_of(one)
    assert "".join(text for stream, text in printed if stream == "stdout") == "out 0\nout 1\n"
    assert "".join(text for stream, text in printed if stream == "stderr") == "err 0\nerr 1\n"
    other = attempt("logs", 1)
    begin(other).end()
    ((stream, text),) = log_of(other)
    assert stream == "log"
    assert text.splitlines() == [
        "WARNING tests.sample_app.tasks: line 0 of the task's logger",
        "INFO controlplane.task: a line of the context",
    ]


def test_garbage_is_made_safe(begin: Begin) -> None:
    one = attempt("prints_garbage")
    begin(one).end()
    assert log_of(one) == [("stdout", "nul \\x00 invalid \ufffd\ufffd end\n")]


def test_much_output_does_not_stall_it(begin: Begin) -> None:
    one = attempt("writes_output", "x" * 10_000, 50)
    assert isinstance(begin(one).end(), Succeeded)
    assert sum(len(text) for _, text in log_of(one)) == 500_000
    other = attempt("prints", 20_000)
    assert isinstance(begin(other).end(), Succeeded)
    assert sum(text.count("\n") for _, text in log_of(other)) == 40_000


def test_progress_is_passed_on(begin: Begin) -> None:
    one = attempt("report_progress", 3)
    begin(one).end()
    assert one.progress == Progress(3.0, 3.0, "step 3")


def test_a_task_with_a_context_is_told_why_to_stop(
    begin: Begin, witness: str, tmp_path: Path
) -> None:
    running = begin(attempt("slow_in_child", str(tmp_path / "never"), witness))
    wait_until(lambda: testimony(witness), what="a start")
    running.attempt.stop.set("shutdown")
    assert running.end().result == '"stopped"'
    assert testimony(witness)[-1] == "stopped shutdown"


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("cancel", Outcome.CANCELLED),
        ("timeout", Outcome.TIMED_OUT),
        ("shutdown", Outcome.INTERRUPTED),
    ],
)
def test_a_task_without_one_is_stopped_where_it_is(
    begin: Begin, witness: str, tmp_path: Path, reason: str, outcome: Outcome
) -> None:
    running = begin(attempt("deaf", str(tmp_path / "never"), witness))
    wait_until(lambda: testimony(witness), what="a start")
    running.attempt.stop.set(reason)
    ending = running.end()
    assert (ending.outcome, ending.fate) == (outcome, Fate.TRY_AGAIN)
    assert ending.error_message == f"asked to stop: {reason}"


def test_a_sigterm_for_the_whole_service_changes_nothing(
    begin: Begin, child: Child, witness: str, tmp_path: Path
) -> None:
    """The executor gets one too, and decides what becomes of its children."""
    until = tmp_path / "go"
    running = begin(attempt("deaf", str(until), witness))
    wait_until(lambda: testimony(witness), what="a start")
    os.kill(child.pid, signal.SIGTERM)
    os.kill(child.pid, signal.SIGINT)
    until.touch()
    assert isinstance(running.end(), Succeeded)
    os.kill(child.pid, signal.SIGTERM)
    assert isinstance(begin(attempt("noop")).end(), Succeeded)


def test_a_fork_that_returns_from_the_task_answers_nothing(begin: Begin, witness: str) -> None:
    end = begin(attempt("forks_and_returns", witness)).end()
    assert isinstance(end, Succeeded)
    (line,) = testimony(witness)
    assert end.result == line.split()[1], "the parent's answer"
    fork = int(line.split()[1])
    wait_until(
        lambda: (
            not psutil.pid_exists(fork) or psutil.Process(fork).status() == psutil.STATUS_ZOMBIE
        ),
        what="the end of the fork",
    )
    again = begin(attempt("add", 1, 1)).end()
    assert again.result == "2", "nor is anything of it left on the line"


def test_it_leads_a_session_of_its_own(child: Child) -> None:
    wait_until(lambda: os.getsid(child.pid) == child.pid, what="a session of its own")


def test_groups_that_a_task_tracks_reach_the_ledger(
    begin: Begin, child: Child, ledger: Ledger, witness: str, tmp_path: Path
) -> None:
    until = tmp_path / "go"
    running = begin(attempt("tracks_a_group", 4242, str(until), witness))
    wait_until(lambda: testimony(witness), what="a tracked group")
    wait_until(lambda: ledger.groups() == [child.pid, 4242], what="both groups in the ledger")
    until.touch()
    running.end()
    assert ledger.groups() == [child.pid]


class FakeConnection:
    """Sends slowly: `meanwhile` happens in the middle of a message."""

    def __init__(self) -> None:
        self.sent: list[object] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def send(self, message: object) -> None:
        self.meanwhile()
        self.sent.append(message)


class TestLine:
    """A signal's exception never cuts a message in half."""

    @pytest.fixture
    def connection(self) -> FakeConnection:
        return FakeConnection()

    @pytest.fixture
    def line(self, connection: FakeConnection) -> _Line:
        return _Line(connection)  # type: ignore[arg-type]

    def test_between_messages_it_is_raised_at_once(self, line: _Line) -> None:
        with pytest.raises(KeyError):
            line.interrupt(KeyError())

    def test_within_a_message_it_waits_for_its_end(
        self, line: _Line, connection: FakeConnection
    ) -> None:
        connection.meanwhile = lambda: line.interrupt(KeyError())
        with pytest.raises(KeyError):
            line.send("output", "whole")
        assert connection.sent == [("output", "whole")]
        connection.meanwhile = lambda: None
        line.send("ended")
        assert len(connection.sent) == 2, "and it is raised once"

    def test_a_message_of_another_thread_is_no_reason_to_wait(
        self, line: _Line, connection: FakeConnection
    ) -> None:
        inside, leave = threading.Event(), threading.Event()

        def stand_still() -> None:
            inside.set()
            assert leave.wait(20)

        connection.meanwhile = stand_still
        other = threading.Thread(target=line.send, args=("output",))
        other.start()
        assert inside.wait(20)
        with pytest.raises(KeyError):
            line.interrupt(KeyError())
        leave.set()
        other.join(5)
        assert connection.sent == [("output", None)]
