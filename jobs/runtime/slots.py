"""The threads of an executor: each takes an attempt from the buffer, runs it, hands its end to the
reporter.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from django.db import connections

from jobs.runtime.attempt import Attempt
from jobs.runtime.buffer import Buffer

#: How long an idle slot waits before it looks whether it should end, seconds.
IDLE_SECONDS = 1.0


class ThreadSlots:
    """Starts threads as needed, up to a number; replaces those that had to be abandoned."""

    def __init__(self, size: int, buffer: Buffer, work: Callable[[Attempt], None]) -> None:
        self.size = size
        self._buffer = buffer
        self._work = work
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._alive = 0
        self._started = 0
        self._ended = threading.Event()
        self.running: dict[int, Attempt] = {}

    @property
    def free(self) -> int:
        """Slots that could take work now."""
        return max(0, self.size - len(self.running))

    def ensure(self, wanted: int) -> None:
        """Have threads for so many attempts at once, within the size."""
        with self._lock:
            while self._alive < min(wanted, self.size):
                self._start()

    def abandon(self, attempt: Attempt) -> None:
        """Give up on the thread that runs this attempt: its slot is free for another."""
        with self._lock:
            if self.running.pop(attempt.claimed.execution_id, None) is None:
                return
            attempt.abandoned = True
            self._alive -= 1

    def wait_for_end(self, timeout: float) -> None:
        """Wait until some attempt ends, at most so long."""
        self._ended.clear()
        self._ended.wait(timeout)

    def close(self) -> None:
        """Let threads end as they become idle."""
        self._closing.set()

    def _start(self) -> None:
        self._started += 1
        self._alive += 1
        threading.Thread(target=self._loop, name=f"slot-{self._started}", daemon=True).start()

    def _loop(self) -> None:
        attempt: Attempt | None = None
        try:
            while not self._closing.is_set():
                attempt = self._buffer.take(IDLE_SECONDS, self.running)
                if attempt is None:
                    continue
                begun = time.monotonic()
                self._work(attempt)
                self._buffer.measured(time.monotonic() - begun)
                if attempt.abandoned:
                    return
                self.running.pop(attempt.claimed.execution_id, None)
                if self._closing.is_set():
                    self._ended.set()
        finally:
            connections.close_all()
            with self._lock:
                if attempt is None or not attempt.abandoned:
                    self._alive -= 1
