"""Claimed jobs that wait for a slot, first ones first, and the waking of slots by need."""

from __future__ import annotations

import threading
import time
from collections import deque
from datetime import datetime

from jobs.runtime.attempt import Attempt

#: Attempts shorter than this are not worth another thread, seconds: one alone runs them faster.
SHORT_SECONDS = 0.001
#: So many of the last attempts tell whether attempts are short.
RECENT = 5
#: Weight of the newest attempt in the typical duration.
SMOOTHING = 0.1


class Buffer:
    """A line between the claim and the slots, in the claim's order.

    What is claimed comes sorted and mostly stands behind what waits, so the line is a sorted list,
    its first one last, where taking costs nothing.

    A waiting slot costs nothing; waking one costs more than a short task. So only one is woken for
    new work, and a slot that takes work wakes the next one while attempts last long enough to be
    worth it.
    """

    def __init__(self) -> None:
        # The execution's id tells two claims of one job apart: after a lost lease both may wait.
        self._line: list[tuple[tuple[int, datetime, int], int, Attempt]] = []
        self._lock = threading.Lock()
        self._filled = threading.Condition(self._lock)
        self._idle = 0
        self._taken = 0
        self._since = 0.0
        #: Smoothed duration of attempts, seconds; endless until measured, so that the first ones
        #: spread and nothing is claimed ahead.
        self.typical_seconds = float("inf")
        #: Which of the last attempts were long. One or two among short ones were not: their thread
        #: waited for the interpreter, and more threads would make that worse.
        self._long: deque[bool] = deque([True] * RECENT, maxlen=RECENT)

    def __len__(self) -> int:
        return len(self._line)

    @property
    def idle(self) -> int:
        """Slots that wait for work."""
        return self._idle

    @property
    def taken(self) -> int:
        """Attempts handed to slots so far."""
        return self._taken

    def put(self, attempts: list[Attempt]) -> None:
        """Add claimed work and wake one slot."""
        with self._filled:
            if not self._line:
                self._since = time.monotonic()
            self._line += [(a.claimed.rank, a.claimed.execution_id, a) for a in attempts]
            self._line.sort(reverse=True)
            self._filled.notify()

    def take(self, timeout: float, into: dict[int, Attempt]) -> Attempt | None:
        """Move the first one in line `into` what runs, by execution id; None when there is none
        within `timeout` seconds. Whoever looks at both finds it in one of them at any moment.
        """
        with self._filled:
            if not self._line:
                self._idle += 1
                try:
                    self._filled.wait(timeout)
                finally:
                    self._idle -= 1
                if not self._line:
                    return None
            _, execution_id, attempt = self._line.pop()
            into[execution_id] = attempt
            self._taken += 1
            self._since = time.monotonic()
            if self._line and self._idle and 2 * sum(self._long) > RECENT:
                self._filled.notify()
            return attempt

    def measured(self, seconds: float) -> None:
        """A slot tells how long an attempt took."""
        if self.typical_seconds == float("inf"):
            self.typical_seconds = seconds
        self.typical_seconds += (seconds - self.typical_seconds) * SMOOTHING
        self._long.append(seconds > SHORT_SECONDS)

    def nudge(self) -> None:
        """Wake a slot when work has waited although slots are idle: a short task may have turned
        long.
        """
        with self._filled:
            if self._line and self._idle and time.monotonic() - self._since > SHORT_SECONDS:
                self._filled.notify()

    def waited(self) -> float:
        """Seconds since a slot last took something while work was waiting; 0 when none waits."""
        with self._lock:
            return time.monotonic() - self._since if self._line else 0.0

    def lowest_priority(self) -> int | None:
        """Priority of the last one in line; None when empty."""
        with self._lock:
            return -self._line[0][0][0] if self._line else None

    def remove(self, job_id: int) -> Attempt | None:
        """Take one job out of line, wherever it stands."""
        with self._lock:
            for index, (*_, attempt) in enumerate(self._line):
                if attempt.claimed.job_id == job_id:
                    del self._line[index]
                    return attempt
        return None

    def waiting(self) -> list[Attempt]:
        """What waits now, in no order."""
        with self._lock:
            return [attempt for *_, attempt in self._line]

    def drain(self) -> list[Attempt]:
        """Take everything out of line."""
        with self._lock:
            attempts = [attempt for *_, attempt in self._line]
            self._line.clear()
            return attempts
