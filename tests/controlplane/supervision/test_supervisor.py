"""Real processes: output merged, the dead restarted, everything stopped in order."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[3]

FOR_EVER = "while true; do sleep 0.1; done"

type Start = Callable[..., "Supervised"]


class Supervised:
    """The driver in a process of its own, its log in a file."""

    def __init__(self, log: Path, *lines: str) -> None:
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.controlplane.supervision.driver", *lines],
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def wait_for(self, pattern: str) -> re.Match[str]:
        return wait_until(lambda: re.search(pattern, self.text()), what=pattern, explain=self.text)

    def text(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def end(self, number: int) -> float:
        """Send a signal, wait for the end, and return the seconds that took."""
        started = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(20)
        return time.monotonic() - started


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[Supervised] = []

    def run(*lines: str) -> Supervised:
        started.append(Supervised(tmp_path / f"log-{len(started)}", *lines))
        return started[-1]

    yield run
    for supervised in started:
        if supervised.process.poll() is None:
            supervised.process.terminate()
        supervised.process.wait(20)


def pid_from(supervised: Supervised, word: str) -> int:
    return int(supervised.wait_for(rf"{word}=(\d+)")[1])


def is_gone(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def test_output_is_one_log_with_time_and_name(start: Start) -> None:
    running = start(
        f"web=echo started; echo oops >&2; {FOR_EVER}",
        rf"executor=printf '\033[2J\377 end\n'; {FOR_EVER}",
    )
    running.wait_for(r"(?m)^\d\d:\d\d:\d\d web       started$")
    running.wait_for(r"(?m)^\d\d:\d\d:\d\d web       oops$")
    running.wait_for(r"executor  \\x1b\[2J\ufffd end")


def test_a_program_that_dies_is_started_again_ever_later(start: Start) -> None:
    running = start("web=echo up; exit 3")
    running.wait_for("web       failed with exit status 3; starting it again in 0.5 s")
    running.wait_for("starting it again in 1 s")
    assert running.text().count(" up\n") >= 2


def test_one_that_was_killed_is_said_to_be(start: Start) -> None:
    running = start(f"web=echo pid=$$; {FOR_EVER}")
    os.kill(pid_from(running, "pid"), signal.SIGKILL)
    running.wait_for("was killed by SIGKILL; starting it again")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_all_in_the_given_order(start: Start, number: int) -> None:
    say = "trap 'exit 0' TERM; echo ready"
    names = ("scheduler", "executor", "watchdog", "web")
    running = start(*(f"{name}={say}; {FOR_EVER}" for name in names))
    for name in names:
        running.wait_for(rf"{name} +ready")
    assert running.end(number) < 5
    assert running.process.returncode == 0
    assert re.findall(r"(\w+) +stopped", running.text()) == list(names)


def test_one_that_ignores_the_request_is_killed_with_its_group(start: Start) -> None:
    running = start(f"web=trap '' TERM; sleep 600 & echo child=$!; {FOR_EVER}")
    child = pid_from(running, "child")
    assert 1 <= running.end(signal.SIGTERM) < 5
    running.wait_for("web       killed, as it did not stop")
    assert is_gone(child)


def test_a_second_signal_ends_the_patience(start: Start) -> None:
    stubborn = f"trap '' TERM; echo ready; {FOR_EVER}"
    running = start(*(f"p{number}={stubborn}" for number in range(5)))
    for number in range(5):
        running.wait_for(f"p{number} .*ready")
    running.process.send_signal(signal.SIGTERM)
    running.wait_for("killed")
    assert running.end(signal.SIGTERM) < 3


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands orphans to a supervisor")
def test_a_command_left_behind_in_its_own_session_is_ended_too(start: Start) -> None:
    running = start(f"executor=setsid sleep 600 & echo child=$!; {FOR_EVER}")
    child = pid_from(running, "child")
    wait_until(lambda: os.getsid(child) == child, what="the command has its own session")
    running.end(signal.SIGINT)
    assert is_gone(child)
    running.wait_for(r"ended processes that were left behind: \d")


@pytest.mark.parametrize("trap", ["trap 'exit 0' TERM", "trap '' TERM"])
def test_killing_the_supervisor_ends_what_it_ran(start: Start, trap: str) -> None:
    running = start(f"executor={trap}; setsid sleep 600 & echo child=$! self=$$; {FOR_EVER}")
    child, program = pid_from(running, "child"), pid_from(running, "self")
    running.end(signal.SIGKILL)
    running.wait_for("The supervisor was killed; stopping the processes it ran")
    wait_until(lambda: is_gone(program), what="the program has ended")
    if "''" in trap:
        wait_until(lambda: is_gone(child), what="a program that is killed takes its commands along")
    elif not is_gone(child):
        os.kill(child, signal.SIGKILL)


def test_a_program_that_cannot_be_started_is_tried_again(start: Start) -> None:
    driver = "tests.controlplane.supervision.driver"
    code = (
        f"import {driver} as driver; from controlplane.supervision.program import Program; "
        "driver.Program = lambda name, command: Program(name, ('/no/such/program',)); "
        "driver.main(['web='])"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
    with process:
        assert process.stdout
        assert b"cannot be started" in process.stdout.readline()
        process.terminate()
        process.wait(20)


def test_a_terminal_that_went_away_stops_everything(start: Start) -> None:
    line = f"web=while true; do echo more; sleep 0.05; done # {os.getpid()}"
    command = [sys.executable, "-m", "tests.controlplane.supervision.driver", line]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(20) == 0
