"""A small process beside an executor that keeps its leases, with its own connection and
interpreter.

Task code can hold the executor's interpreter for as long as it likes and no lease is lost; and when
the executor is killed, the keeper still has the ledger: it ends what was left running and hands
back the jobs.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from django.db import connections

from controlplane import conf
from controlplane.events import log_event
from controlplane.loop import DATABASE_AWAY, RECONNECT_DELAYS, Report
from jobs import recovery
from jobs.runtime.ledger import Ledger
from jobs.runtime.process_tree import kill_tree

#: What the executor sends before it ends of its own will.
GOODBYE = b"q"
#: An executor whose loop stands still counts as hung after so many leases, if it uses no processor
#: time either.
HUNG_LEASES = 3
#: Longest time between two looks at the executor, seconds.
LOOK_SECONDS = 1.0


class KeeperHandle:
    """The executor's side: start, watch, say goodbye."""

    def __init__(self, pid: int, line: socket.socket) -> None:
        self.pid = pid
        self._line = line
        self._ended = False

    def alive(self) -> bool:
        """Whether the keeper still runs."""
        if not self._ended:
            ended, _ = os.waitpid(self.pid, os.WNOHANG)
            self._ended = ended == self.pid
        return not self._ended

    def dismiss(self) -> None:
        """End the keeper; nothing is recovered."""
        with suppress(OSError):  # it may be gone already
            self._line.sendall(GOODBYE)
        self._line.close()
        if not self._ended:
            os.waitpid(self.pid, 0)
            self._ended = True


def start(ledger: Ledger, report: Report) -> KeeperHandle:
    """Fork the keeper. Call it before any thread is started and with no connection open."""
    ours, theirs = socket.socketpair()
    executor = os.getpid()
    pid = os.fork()
    if pid:
        theirs.close()
        return KeeperHandle(pid, ours)
    code = 1
    try:
        ours.close()
        _Keeper(executor, ledger, report, theirs).run()
        code = 0
    except BaseException:  # noqa: BLE001 - a forked child must never run on in its parent's code
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


class _Keeper:
    def __init__(self, executor: int, ledger: Ledger, report: Report, line: socket.socket) -> None:
        self.executor = executor
        self.ledger = ledger
        self.report = report
        self.line = line
        self.options = conf.options()
        self.doubt = _Doubt(
            executor, ledger, self.options.lease_seconds, self.options.executor_hang_seconds
        )
        self.last_reason = ""

    def run(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # the executor says when it is over
        next_renewal = time.monotonic() + self.options.lease_renewal_seconds
        next_report = time.monotonic() + self.options.worker_report_seconds
        while (word := self._word()) is None:
            now = time.monotonic()
            if now >= next_renewal and self._try(self._renew):
                next_renewal = now + self.options.lease_renewal_seconds
            if now >= next_report and self._try(self._refresh):
                next_report = now + self.options.worker_report_seconds
        if word != GOODBYE:
            self._executor_gone()
        connections.close_all()

    def _word(self) -> bytes | None:
        """What the executor says within a short while; b"" when it is gone."""
        self.line.settimeout(min(LOOK_SECONDS, self.options.lease_renewal_seconds / 2))
        try:
            return self.line.recv(1)
        except TimeoutError:
            # A fork that a task left behind may hold the other end open.
            return None if os.getppid() == self.executor else b""
        except OSError:
            return b""

    def _renew(self) -> None:
        reason = self.doubt.reason()
        if reason:
            if reason != self.last_reason:
                log_event("keeper.not_renewing", worker_id=self.report.worker_id, reason=reason)
            self.last_reason = reason
            return
        self.last_reason = ""
        entries = self.ledger.entries()
        if not entries:
            return
        now = time.monotonic()
        kept = [e.execution_id for e in entries if not (e.deadline and e.deadline < now)]
        recovery.renew_leases(self.report.worker_id, kept)

    def _refresh(self) -> None:
        if not self.doubt.reason():
            self.report.refresh()

    def _try(self, step: Callable[[], object]) -> bool:
        try:
            step()
        except DATABASE_AWAY:
            connections.close_all()
            return False
        return True

    def _executor_gone(self) -> None:
        for pgid in self.ledger.groups():
            kill_tree(pgid)
        started = {e.execution_id: e.alone for e in self.ledger.entries() if e.started}
        give_up = time.monotonic() + self.options.lease_seconds
        while not self._try(lambda: self._recover(started)):
            if time.monotonic() > give_up:  # the leases have run out: it is the watchdog's now
                return
            time.sleep(RECONNECT_DELAYS[1])

    def _recover(self, started: dict[int, bool]) -> None:
        charged, returned = recovery.recover(self.report.worker_id, started=started)
        self.report.stop()
        log_event("keeper.executor_gone", pid=self.executor, charged=charged, returned=returned)


class _Doubt:
    """Whether the executor can still be trusted to be at work."""

    def __init__(self, pid: int, ledger: Ledger, lease_seconds: float, hang_seconds: float) -> None:
        self._stat = Path(f"/proc/{pid}/stat")
        self._ledger = ledger
        self._idle_hang = HUNG_LEASES * lease_seconds
        self._hang = hang_seconds
        self._seen = (ledger.beats(), self._processor_time())
        self._beat_at = self._moved_at = time.monotonic()

    def reason(self) -> str:
        """Why its leases should not be renewed now; empty when they should."""
        now = time.monotonic()
        beats, used = self._ledger.beats(), self._processor_time()
        if beats != self._seen[0]:
            self._beat_at = self._moved_at = now
        elif used != self._seen[1]:
            self._moved_at = now
        self._seen = (beats, used)
        if self._state() in "Tt":
            return "the executor is stopped"
        if now - self._moved_at > max(self._idle_hang, 30.0):
            return "the executor's loop stands still and it uses no processor time"
        if now - self._beat_at > self._hang:
            return f"the executor's loop has stood still for {now - self._beat_at:.0f} s"
        return ""

    def _fields(self) -> list[str]:
        try:
            return (
                self._stat.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
            )
        except OSError:  # no /proc here: the heartbeat alone must do
            return []

    def _state(self) -> str:
        fields = self._fields()
        return fields[0] if fields else "R"

    def _processor_time(self) -> int:
        fields = self._fields()
        return int(fields[11]) + int(fields[12]) if fields else 0
