"""A long-lived process that ticks: signals, waiting, worker reports, reconnecting, systemd.
Subclasses say what a tick does.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Protocol

from django.db import InterfaceError, OperationalError, connection

from controlplane import systemd
from controlplane.events import log_event
from controlplane.preflight import UnusableDatabase, require_database

#: Waits between tries while the database is away, seconds; the last one repeats.
RECONNECT_DELAYS = (0.2, 0.5, 1.0, 2.0, 5.0)

#: What Django raises when the connection, not the statement, is at fault.
DATABASE_AWAY = (OperationalError, InterfaceError)


class Report(Protocol):
    """How a process makes itself known; implemented above the kernel."""

    worker_id: int

    def start(self) -> None: ...

    def refresh(self) -> None: ...

    def stop(self) -> None: ...


class Loop:
    """One process of one kind. `tick` is a plain call: tests call it, `run` repeats it until a
    signal.
    """

    name = "loop"

    def __init__(self, *, tick_seconds: float, report: Report, report_seconds: float) -> None:
        self.tick_seconds = tick_seconds
        self.report = report
        self.report_seconds = report_seconds
        self.stopping = threading.Event()
        self.stop_reason = ""
        #: Set by a second signal: end now, without grace.
        self.hurry = threading.Event()
        self.exit_code = 0
        self._wake = threading.Event()
        self._away_since: float | None = None
        self._last_complaint = 0.0

    def setup(self) -> None:
        """Called once, when the database answers and before the first tick."""

    def tick(self) -> float | None:
        """Do what is due; return the seconds until the next tick is wanted, None for the usual
        time.
        """
        raise NotImplementedError(f"{type(self).__name__} must say what a tick does.")

    def teardown(self) -> None:
        """Called once at the end, also after a failure."""

    def once(self) -> None:
        """What `--once` does; a single tick unless a subclass needs more."""
        self.tick()

    def pause(self, seconds: float) -> None:
        """Wait, unless woken."""
        self._wake.wait(max(0.0, seconds))
        self._wake.clear()

    def wake(self) -> None:
        """Tick again at once; may be called from any thread."""
        if not self._wake.is_set():  # setting it takes a lock that looking does not
            self._wake.set()

    def stop(self, reason: str) -> None:
        """End after the present tick; may be called from any thread or a signal handler."""
        self.stop_reason = self.stop_reason or reason
        self.stopping.set()
        self._wake.set()

    def run(self, *, once: bool = False) -> int:
        """Tick until stopped, or once; return the exit code: 0, or 1 when something could not be
        done.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        try:
            if not self._with_database(self._begin):
                return 0
            log_event(
                "loop.started", name=self.name, worker_id=self.report.worker_id, pid=os.getpid()
            )
            systemd.notify("READY=1")
            if once:
                self._once()
            else:
                self._tick_until_stopped()
        except UnusableDatabase as error:
            log_event("database.unusable", name=self.name, error=error)
            self.exit_code = 1
        finally:
            if self.stop_reason:
                log_event("loop.stopping", name=self.name, reason=self.stop_reason)
            systemd.notify("STOPPING=1")
            self._end()
        return self.exit_code

    def _begin(self) -> None:
        require_database()
        self.report.start()
        self.setup()

    def _once(self) -> None:
        try:
            self.once()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is said and the exit code tells
            log_event("loop.tick_failed", name=self.name, error=describe(error))
            self.exit_code = 1

    def _tick_until_stopped(self) -> None:
        next_report = time.monotonic() + self.report_seconds
        while not self.stopping.is_set():
            wanted = self._guarded_tick()
            systemd.notify("WATCHDOG=1")
            if time.monotonic() >= next_report and self._guarded(self.report.refresh):
                next_report = time.monotonic() + self.report_seconds
            pause = self.tick_seconds if wanted is None else min(wanted, self.tick_seconds)
            self.pause(min(pause, next_report - time.monotonic()))

    def _guarded_tick(self) -> float | None:
        """One tick; a lost database or an error in it costs a pause, never the process."""
        wanted: list[float | None] = [None]

        def tick() -> None:
            wanted[0] = self.tick()

        return wanted[0] if self._guarded(tick) else RECONNECT_DELAYS[-2]

    def _guarded(self, step: Callable[[], object]) -> bool:
        try:
            step()
        except DATABASE_AWAY as error:
            self._complain(error)
            connection.close()
            return False
        except Exception as error:  # noqa: BLE001 - a fault in one tick must not end the process
            log_event("loop.tick_failed", name=self.name, error=describe(error))
            connection.close()
            return False
        self._recovered()
        return True

    def _with_database(self, step: Callable[[], object]) -> bool:
        """Run a step, again and again while the database is away; False when told to stop
        meanwhile.
        """
        attempt = 0
        while not self.stopping.is_set():
            try:
                step()
            except DATABASE_AWAY as error:
                self._complain(error)
                connection.close()
                self.stopping.wait(RECONNECT_DELAYS[min(attempt, len(RECONNECT_DELAYS) - 1)])
                attempt += 1
            else:
                self._recovered()
                return True
        return False

    def _complain(self, error: BaseException) -> None:
        """Say that the database is away, at most once a second."""
        now = time.monotonic()
        if self._away_since is None:
            self._away_since = now
        if now - self._last_complaint >= 1.0:
            self._last_complaint = now
            log_event("database.lost", name=self.name, error=describe(error))

    def _recovered(self) -> None:
        if self._away_since is not None:
            seconds = time.monotonic() - self._away_since
            self._away_since = None
            log_event("database.back", name=self.name, seconds=seconds)

    def _end(self) -> None:
        self.teardown()
        try:
            if self.report.worker_id:
                self.report.stop()
        except DATABASE_AWAY as error:
            self._complain(error)
        connection.close()
        log_event("loop.stopped", name=self.name)

    def _on_signal(self, number: int, frame: object) -> None:
        if self.stopping.is_set():
            self.hurry.set()
        self.stop(signal.Signals(number).name)


def describe(error: BaseException) -> str:
    """An error in one line for the log."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
