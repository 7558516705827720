"""The database's clock, read once and carried on by this machine's monotonic one: no wall clock
decides anything.
"""

import time
from datetime import UTC, datetime

from jobs import queue

#: The two clocks are compared again after this long, seconds.
COMPARE_AFTER = 60.0


class DatabaseClock:
    """Epoch seconds as the database counts them."""

    def __init__(self) -> None:
        self._offset = 0.0
        self._compared = float("-inf")

    def compare(self) -> None:
        """Read the database's clock, unless that was done lately."""
        before = time.monotonic()
        if before - self._compared < COMPARE_AFTER:
            return
        there = queue.database_time()
        after = time.monotonic()
        self._offset = there - (before + after) / 2
        self._compared = after

    def at(self, monotonic: float) -> float:
        """Epoch seconds of a `time.monotonic()` reading."""
        return monotonic + self._offset

    def moment(self, monotonic: float) -> datetime:
        """The same as an aware datetime."""
        return datetime.fromtimestamp(self.at(monotonic), tz=UTC)
