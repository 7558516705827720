"""The executor's side of its child processes: start, feed, listen, stop, replace."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import connection as mp_connection
from multiprocessing.connection import Connection
from typing import Any

from django.db import connections

from controlplane import conf
from controlplane.events import log_event
from jobs.lifecycle import Outcome
from jobs.queue import Succeeded
from jobs.runtime.attempt import Attempt
from jobs.runtime.child import Order, main
from jobs.runtime.clock import DatabaseClock
from jobs.runtime.context import StopSignal
from jobs.runtime.ledger import Ledger
from jobs.runtime.process_tree import kill_group, terminate_tree
from jobs.settlement import Ending, Fate

_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(["jobs.runtime.child_preload"])

#: How often a running child is looked at beside its messages, seconds: the delay of a cancel or
#: timeout.
LOOK_SECONDS = 0.1
#: Most output read at once, bytes.
READ_BYTES = 65_536


class Child:
    """One child process. Used by one thread of the executor at a time."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.attempts = 0
        self.memory_mb = 0.0
        #: The child closed its end, which only its death does.
        self._hung_up = False
        self._groups: dict[int, int] = {}
        ours, theirs = _server.Pipe()
        out, out_child = _server.Pipe(duplex=False)
        err, err_child = _server.Pipe(duplex=False)
        self._line: Connection = ours
        self._outputs: dict[Connection, str] = {out: "stdout", err: "stderr"}
        database = connections["default"].settings_dict["NAME"]
        self._process = _server.Process(
            target=_enter, args=(theirs, out_child, err_child, database), daemon=True
        )
        self._process.start()
        for end in (theirs, out_child, err_child):
            end.close()
        for end in self._outputs:
            os.set_blocking(end.fileno(), False)
        self.pid = self._process.pid or 0
        self._place = ledger.track_group(self.pid)
        log_event("child.started", pid=self.pid)

    def worn_out(self) -> bool:
        """It has run as many attempts, or holds as much memory, as it may; or it is gone."""
        options = conf.options()
        return (
            self._hung_up
            or not self._process.is_alive()
            or 0 < options.child_max_attempts <= self.attempts
            or 0 < options.child_max_memory_mb < self.memory_mb
        )

    def run(
        self, attempt: Attempt, *, worker_id: int, clock: DatabaseClock
    ) -> Succeeded | Ending | None:
        """Run one attempt; None when the child settled it itself. Its death is an outcome."""
        self.attempts += 1
        order = Order(attempt.claimed, attempt.started, attempt.deadline, clock, worker_id)
        try:
            self._line.send(order)
        except OSError:
            return self._died(attempt, clock)
        told_at = 0.0
        while True:
            ended, answer = self._listen(attempt)
            if ended:
                return answer
            if self._gone():
                self._read_output(attempt)
                return self._died(attempt, clock)
            if attempt.stop.is_set() and not told_at:
                told_at = time.monotonic()
                self._ask_to_stop(attempt.stop.reason)
            if told_at and time.monotonic() - told_at > conf.options().kill_grace_seconds:
                return self._kill(attempt, clock)

    def close(self) -> None:
        """End an idle child, and whatever its tasks left in its group."""
        self._line.close()
        self._process.join(1.0)
        if self._process.is_alive():
            self._process.kill()
            self._process.join(1.0)
        kill_group(self.pid)
        for place in (self._place, *self._groups.values()):
            self._ledger.untrack_group(place)
        for end in self._outputs:
            end.close()

    def _listen(self, attempt: Attempt) -> tuple[bool, Succeeded | Ending | None]:
        """Handle what comes within a moment; (True, how it ended) once the child says so."""
        watched: list[Any] = [self._line, self._process.sentinel, *self._outputs]
        ready = mp_connection.wait(watched, LOOK_SECONDS)
        if any(end in ready for end in self._outputs):
            self._read_output(attempt)
        if self._line not in ready:
            return False, None
        try:
            kind, content = self._line.recv()
        except (EOFError, OSError):
            self._hung_up = True
            return False, None
        if kind in ("ended", "settled"):
            end, self.memory_mb = content
            self._read_output(attempt)
            if isinstance(end, Ending):
                end.alone = True
            return True, end
        self._note(attempt, kind, content)
        return False, None

    def _gone(self) -> bool:
        """Dead, with nothing left unread. A fork of the task may hold the line open; the exit tells
        then.
        """
        return self._hung_up or (not self._process.is_alive() and not self._line.poll())

    def _note(self, attempt: Attempt, kind: str, content: Any) -> None:
        if kind == "output":
            attempt.open_log().write(*content)
        elif kind == "progress":
            attempt.set_progress(content)
        elif kind == "track":
            self._groups[content] = self._ledger.track_group(content)
        elif kind == "untrack" and content in self._groups:
            self._ledger.untrack_group(self._groups.pop(content))

    def _read_output(self, attempt: Attempt) -> None:
        for end, stream in self._outputs.items():
            while True:
                try:
                    data = os.read(end.fileno(), READ_BYTES)
                except OSError:  # nothing more now
                    break
                if not data:
                    break
                attempt.open_log().write(stream, data)
                if len(data) < READ_BYTES:
                    break

    def _ask_to_stop(self, reason: str) -> None:
        try:
            self._line.send(reason)
            os.kill(self.pid, signal.SIGTERM)
        except OSError:  # it died at this moment; the loop will see it
            pass

    def _kill(self, attempt: Attempt, clock: DatabaseClock) -> Ending:
        """It did not stop in time: end it with everything it started."""
        terminate_tree(self.pid, grace_seconds=0)
        self._process.join(5.0)
        self._read_output(attempt)
        reason = attempt.stop.reason
        outcome = {"timeout": Outcome.TIMED_OUT, "shutdown": Outcome.INTERRUPTED}.get(
            reason, Outcome.CANCELLED
        )
        return self._ending(
            attempt,
            clock,
            outcome,
            reason,
            "It did not stop in time and was killed, with all it had started.",
        )

    def _died(self, attempt: Attempt, clock: DatabaseClock) -> Ending:
        self._process.join(1.0)
        how = _how(self._process.exitcode)
        log_event("child.died", pid=self.pid, how=how, job_id=attempt.claimed.job_id)
        ending = self._ending(
            attempt, clock, Outcome.FAILED, "crashed", f"The process that ran it died: {how}."
        )
        ending.crashed = True
        return ending

    def _ending(
        self, attempt: Attempt, clock: DatabaseClock, outcome: Outcome, code: str, message: str
    ) -> Ending:
        return Ending(
            outcome=outcome,
            fate=Fate.TRY_AGAIN,
            started_at=clock.moment(attempt.started),
            finished_at=clock.moment(time.monotonic()),
            error_code=code,
            error_message=message,
            alone=True,
        )


def _enter(line: Connection, stdout: Connection, stderr: Connection, database: str) -> None:
    """First function in the child."""
    main(line, os.dup(stdout.fileno()), os.dup(stderr.fileno()), database)


def _how(exitcode: int | None) -> str:
    if exitcode is None:
        return "it cannot be reached"
    if exitcode >= 0:
        return f"exit code {exitcode}"
    name = signal.Signals(-exitcode).name
    hint = " (out of memory, or killed from outside)" if name == "SIGKILL" else ""
    return f"{name}{hint}"


class ChildPool:
    """Children kept for reuse by the threads that feed them."""

    def __init__(self, ledger: Ledger, make: Callable[[Ledger], Child] = Child) -> None:
        self._ledger = ledger
        self._make = make
        self._idle: list[Child] = []
        self._busy: list[Child] = []

    @contextmanager
    def child(self, stop: StopSignal) -> Iterator[Child]:
        """An idle child, or a new one; kept unless it is worn out or was asked to stop."""
        child = self._get()
        self._busy.append(child)
        keep = False
        try:
            yield child
            keep = not stop.is_set() and not child.worn_out()
        finally:
            self._busy.remove(child)
            if keep:
                self._idle.append(child)
            else:
                child.close()

    def close(self) -> None:
        """End all children; those at work with everything they started."""
        while self._idle:
            self._idle.pop().close()
        for child in list(self._busy):
            terminate_tree(child.pid, grace_seconds=0)

    def _get(self) -> Child:
        while self._idle:
            child = self._idle.pop()
            if not child.worn_out():
                return child
            child.close()
        return self._make(self._ledger)
