"""One program to keep running, and the process that is running it at the moment."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

# Seconds until a program that keeps dying is started again, by number of deaths in a row.
BACK_OFF = (0.5, 1, 2, 5, 10, 30)

# A program that has lived this long is well: its next death counts as the first.
WELL_SECONDS = 60


@dataclass(frozen=True)
class Program:
    """What to run. Stopping waits `stop_seconds` between SIGTERM and SIGKILL."""

    name: str
    command: tuple[str, ...]
    stop_seconds: float = 1.0


class Child:
    """A program's current process, in a session and process group of its own."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.deaths = 0
        self.start_at: float | None = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def start(self, environment: Mapping[str, str], folder: Path) -> IO[bytes]:
        """Start the program and return the pipe with all that it prints."""
        self.start_at = None
        self._started = time.monotonic()
        # Its own session: a terminal's Ctrl-C reaches the supervisor alone, which stops in order.
        self._process = subprocess.Popen(
            self.program.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
        )
        pipe = self._process.stdout
        if pipe is None:
            raise AssertionError("a pipe was asked for")
        os.set_blocking(pipe.fileno(), False)
        return pipe

    def ended(self) -> str | None:
        """Return how the process ended if it just did, having swept up the rest of its group."""
        if self._process is None or self._process.poll() is None:
            return None
        how = description(self._process.returncode)
        self.signal(signal.SIGKILL)
        self._process = None
        return how

    def schedule_restart(self) -> float:
        """Decide when to start again, and return the seconds until then."""
        if time.monotonic() - self._started >= WELL_SECONDS:
            self.deaths = 0
        wait = BACK_OFF[min(self.deaths, len(BACK_OFF) - 1)]
        self.deaths += 1
        self.start_at = time.monotonic() + wait
        return wait

    def is_due(self) -> bool:
        return self.start_at is not None and time.monotonic() >= self.start_at

    def signal(self, number: int) -> None:
        """Send a signal to the whole process group."""
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)


def description(code: int) -> str:
    """Say in words how a process ended."""
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return "ended" if code == 0 else f"failed with exit status {code}"
