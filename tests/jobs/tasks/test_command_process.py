import errno
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress

import pytest

from jobs.errors import PermanentFailure
from jobs.tasks.command_line import parse
from jobs.tasks.command_process import CommandProcess, Stream, start
from jobs.tasks.command_user import command_user


class Started:
    """A command and what it wrote so far."""

    def __init__(self, shell: str, stdin: str = "") -> None:
        self.written: list[tuple[Stream, bytes]] = []
        line = parse({"shell": shell, "stdin": stdin})
        self.process: CommandProcess = start(line, command_user(""), self._write)

    def _write(self, stream: Stream, data: bytes) -> None:
        self.written.append((stream, data))

    def wait(self) -> None:
        while not self.process.exited():
            self.process.pump(20)


@pytest.fixture
def running() -> Iterator[list[Started]]:
    """Put commands here, so that none outlives its test."""
    started: list[Started] = []
    yield started
    for each in started:
        with suppress(ProcessLookupError):
            os.killpg(each.process.pid, signal.SIGKILL)
        with suppress(ValueError, subprocess.TimeoutExpired):
            each.process.close()


def test_the_end_of_a_command_wakes_the_pump_although_its_output_is_closed(
    running: list[Started],
) -> None:
    command = Started("exec >&- 2>&-; sleep 0.1; exit 5")
    running.append(command)
    command.wait()
    assert command.process.output_ended
    assert command.process.close() == 5


def test_the_pid_stays_taken_until_the_command_is_closed(running: list[Started]) -> None:
    command = Started("exit 0")
    running.append(command)
    command.wait()
    os.kill(command.process.pid, 0)
    command.process.close()
    with pytest.raises(ProcessLookupError):
        os.kill(command.process.pid, 0)
    assert command.process.exited()


def test_drain_takes_what_is_left_and_stops_at_the_end(running: list[Started]) -> None:
    command = Started("printf %065536d 0; printf x >&2", stdin="unread")
    running.append(command)
    command.wait()
    command.process.drain(20)
    assert command.process.output_ended
    assert sum(len(data) for _, data in command.written) == 65_537
    assert command.process.last_lines["stderr"].text() == "x"


def test_drain_gives_up_on_an_output_that_stays_open(running: list[Started]) -> None:
    command = Started("sleep 99 & echo done")
    running.append(command)
    command.wait()
    command.process.drain(0.1)
    assert not command.process.output_ended
    assert len(command.process.leftovers()) == 1
    assert command.process.end_leftovers(5) == []
    assert command.process.leftovers() == []


def test_every_run_has_a_marker_of_its_own(running: list[Started]) -> None:
    for _ in range(2):
        running.append(Started("env; sleep 99"))
    markers = set()
    for command in running:
        command.process.pump(20)
        text = b"".join(data for _, data in command.written).decode()
        (marker,) = [line for line in text.splitlines() if line.startswith("CONTROL_PLANE_RUN=")]
        markers.add(marker)
        assert command.process.end_tree(5) == []
        assert command.process.close() == -signal.SIGTERM
    assert len(markers) == 2


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOENT, "command_not_found"),
        (errno.ENOEXEC, "command_not_executable"),
        (errno.E2BIG, "command_too_long"),
    ],
)
def test_a_fault_that_no_retry_mends_is_permanent(
    monkeypatch: pytest.MonkeyPatch, number: int, code: str
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise OSError(number, os.strerror(number), "/bin/sh")

    monkeypatch.setattr(subprocess, "Popen", fail)
    with pytest.raises(PermanentFailure) as caught:
        Started("true")
    assert caught.value.code == code


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM, errno.EMFILE])
def test_a_machine_that_is_full_for_now_is_no_permanent_failure(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(subprocess, "Popen", fail)
    with pytest.raises(OSError, match=os.strerror(number)):
        Started("true")
