"""Keep programs running until told to stop, then stop them in order."""

import os
import selectors
import signal
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

from controlplane.supervision import strays
from controlplane.supervision.guardian import Guardian
from controlplane.supervision.output import Lines, Log
from controlplane.supervision.program import Child, Program

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

TICK_SECONDS = 0.2


class Supervisor:
    """Runs programs, given in the order in which they are to be stopped.

    Single-threaded: all happens in `pump()`, which the caller repeats for as long as it likes.
    Use as a context manager; leaving it stops everything that descends from here, but for the
    processes that `spared` names (the database, which is stopped by its last user). SIGINT,
    SIGTERM and SIGHUP set `is_stopping`; a second one cuts the programs' patience short.
    """

    def __init__(
        self,
        programs: Iterable[Program],
        *,
        environment: Mapping[str, str],
        folder: Path,
        log: Log,
        var_dir: Path | None = None,
        kept_open: Collection[int] = (),
        spared: Callable[[], Collection[int]] = tuple,
    ) -> None:
        self.is_stopping = False
        self._children = [Child(program) for program in programs]
        self._environment = environment
        self._folder = folder
        self._log = log
        self._var_dir = var_dir
        self._kept_open = kept_open
        self._spared = spared
        self._in_a_hurry = False
        self._selector = selectors.DefaultSelector()
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in STOP_SIGNALS:
            self._previous[number] = signal.signal(number, self._note_signal)
        self._wake_reader, self._wake_writer = os.pipe()
        os.set_blocking(self._wake_writer, False)
        os.set_blocking(self._wake_reader, False)
        signal.set_wakeup_fd(self._wake_writer, warn_on_full_buffer=False)
        self._selector.register(self._wake_reader, selectors.EVENT_READ)
        strays.adopt_orphans()
        self._guardian = Guardian(self._var_dir, kept_open=self._kept_open)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.stop()
        finally:
            self._guardian.dismiss()
            signal.set_wakeup_fd(-1)
            os.close(self._wake_writer)
            os.close(self._wake_reader)
            self._selector.close()
            for number, handler in self._previous.items():
                signal.signal(number, handler)

    def run(self) -> None:
        """Keep everything running until a signal asks for the end."""
        while not self.is_stopping:
            self.pump(TICK_SECONDS)

    def pump(self, seconds: float) -> None:
        """For at most `seconds`: pass on output, notice deaths, start what is due."""
        if not self.is_stopping:
            self._start_due()
        self._pass_on_output(seconds)
        for child in self._children:
            how = self._collect(child)
            if how and not self.is_stopping:
                wait = child.schedule_restart()
                self._end_strays()
                self._log.write(child.name, f"{how}; starting it again in {wait:g} s")
        strays.reap(self._known())
        if self._log.is_broken:
            self.is_stopping = True

    def stop(self) -> None:
        """Stop the programs one after the other, and whatever they left behind."""
        self.is_stopping = True
        for child in self._children:
            if child.pid is not None:
                self._stop(child)
        self._end_strays()

    def running(self) -> list[str]:
        """Return the names of the programs that have a live process."""
        return [child.name for child in self._children if child.pid is not None]

    def _start_due(self) -> None:
        for child in filter(Child.is_due, self._children):
            try:
                pipe = child.start(self._environment, self._folder)
            except OSError as error:
                wait = child.schedule_restart()
                self._log.write(child.name, f"cannot be started: {error}; again in {wait:g} s")
                continue
            self._selector.register(pipe, selectors.EVENT_READ, Lines(child.name, pipe))
            self._guardian.tell(f"+ {child.pid} {child.program.stop_seconds}")

    def _stop(self, child: Child) -> None:
        child.signal(signal.SIGTERM)
        deadline = time.monotonic() + child.program.stop_seconds
        while child.pid is not None:
            self._pass_on_output(0.05)
            late = self._in_a_hurry or time.monotonic() > deadline
            if late:
                child.signal(signal.SIGKILL)
            how = self._collect(child)
            if how:
                self._log.write(child.name, "killed, as it did not stop" if late else "stopped")

    def _collect(self, child: Child) -> str | None:
        """Return how a child ended if it just did, after its last words are out."""
        pid = child.pid
        how = child.ended()
        if how:
            self._pass_on_output(0)
            self._guardian.tell(f"- {pid}")
        return how

    def _pass_on_output(self, seconds: float) -> None:
        for key, _ in self._selector.select(seconds):
            if not isinstance(key.data, Lines):
                os.read(self._wake_reader, 1024)
                continue
            lines = key.data.read()
            if lines is None:
                self._selector.unregister(key.fileobj)
                lines = key.data.close()
            for line in lines:
                self._log.write(key.data.name, line)

    def _end_strays(self) -> None:
        count = strays.end_all(self._known())
        if count:
            self._log.write("up", f"ended processes that were left behind: {count}")

    def _known(self) -> set[int]:
        pids = {child.pid for child in self._children if child.pid is not None}
        return pids | {self._guardian.pid} | set(self._spared())

    def _note_signal(self, number: int, frame: FrameType | None) -> None:
        self._in_a_hurry = self.is_stopping
        self.is_stopping = True
