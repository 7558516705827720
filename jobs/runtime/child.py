"""Inside a child process: take attempts from the executor one at a time, run each, tell how it
ended.

A child leads its own session, dies with its executor, and writes what it prints into pipes that the
executor reads. SIGTERM asks the running task to stop.
"""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from django.db import connections

from jobs.errors import TaskCancelled
from jobs.queue import Claimed
from jobs.runtime.attempt import Attempt, Settled, find_task, run
from jobs.runtime.clock import DatabaseClock
from jobs.runtime.context import Progress
from jobs.runtime.log_capture import ContextLogHandler, ExecutionLog, install

#: prctl(2): deliver a signal when the parent dies. Linux only; elsewhere the keeper does it.
_PR_SET_PDEATHSIG = 1
#: The executor says why before it sends SIGTERM; it is waited for so long, seconds.
STOP_REASON_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Order:
    """An attempt to run."""

    claimed: Claimed
    started: float
    deadline: float | None
    clock: DatabaseClock
    worker_id: int


class _PipedLog(ExecutionLog):
    """Sends what is written to the executor, which keeps, caps and stores it."""

    def __init__(self, line: _Line) -> None:
        super().__init__(0)
        self._line = line

    def write(self, stream: str, data: str | bytes) -> None:
        self._line.send("output", (stream, data))


class _Line:
    """The connection to the executor; several threads of a task may write."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._lock = threading.RLock()
        self._sender = 0
        self._interruption: BaseException | None = None

    def send(self, kind: str, content: Any = None) -> None:
        with self._lock:
            self._sender = threading.get_ident()
            try:
                self.connection.send((kind, content))
            finally:
                self._sender = 0
        if self._interruption is not None and threading.current_thread() is threading.main_thread():
            error, self._interruption = self._interruption, None
            raise error

    def interrupt(self, error: BaseException) -> None:
        """Raise it here, or after the message that this thread is sending: half of one would leave
        the executor waiting for the rest.
        """
        if self._sender == threading.get_ident():
            self._interruption = error
        else:
            raise error


def main(connection: Connection, stdout: int, stderr: int, database: str) -> None:
    """Serve attempts until the executor closes the line."""
    os.setsid()
    _die_with_parent()
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.close(stdout)
    os.close(stderr)
    sys.stdout = os.fdopen(
        1, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
    )
    sys.stderr = os.fdopen(
        2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
    )
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connections["default"].settings_dict["NAME"] = database
    _log_into_executions()
    line = _Line(connection)
    while True:
        try:
            order: Order = connection.recv()
        except (EOFError, OSError):
            return
        _serve(line, order)


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _log_into_executions() -> None:
    """What a child logs belongs to its execution; printed on stderr as well it would be there
    twice.
    """
    root = logging.getLogger()
    root.handlers = [h for h in root.handlers if isinstance(h, ContextLogHandler)]
    install()


def _serve(line: _Line, order: Order) -> None:
    attempt = Attempt(
        claimed=order.claimed, started=order.started, deadline=order.deadline, alone=True
    )
    attempt.output = _PipedLog(line)
    attempt.send_progress = lambda progress: _send_progress(line, progress)
    attempt.tracker = lambda pgid: _tracked(line, pgid)
    task = find_task(order.claimed)
    _obey_sigterm(line, attempt, raise_in_task=not task.takes_context)
    try:
        end: Any = run(attempt, task, worker_id=order.worker_id, clock=order.clock)
        answer = ("ended", end)
    except Settled:
        answer = ("settled", None)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the task may have closed it
            stream.flush()
    line.send(answer[0], (answer[1], _resident_mb()))


def _obey_sigterm(line: _Line, attempt: Attempt, *, raise_in_task: bool) -> None:
    """A task that looks at its context stops by itself; another is stopped where it is, by an
    exception.
    """

    def on_sigterm(number: int, frame: object) -> None:
        if not line.connection.poll(STOP_REASON_SECONDS):
            return  # sent to all processes of a service: the executor decides what its children do
        reason = line.connection.recv()
        attempt.stop.set(reason)
        if raise_in_task:
            line.interrupt(TaskCancelled(f"asked to stop: {reason}"))

    signal.signal(signal.SIGTERM, on_sigterm)


def _send_progress(line: _Line, progress: Progress) -> None:
    line.send("progress", progress)


@contextmanager
def _tracked(line: _Line, pgid: int) -> Iterator[None]:
    line.send("track", pgid)
    try:
        yield
    finally:
        line.send("untrack", pgid)


def _resident_mb() -> float:
    """Memory this process holds now, megabytes; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1_000_000
