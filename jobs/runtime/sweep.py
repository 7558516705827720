"""Where the next claim of a lane may begin, so that it does not walk again over what is claimed.

Claimed rows leave dead entries at the head of the claim index, and vacuum cannot remove them while
a long transaction is open anywhere. A claim that begins where the last one ended does not see them.
What it may miss, a row of an older time that was committed late or given back, is found by the next
sweep from the beginning.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from jobs.queue import Claimed, Place

#: A claim begins at the beginning again after so long, seconds: the most that a late row waits.
SWEEP_SECONDS = 1.0


class Sweep:
    """One lane's place in the line."""

    def __init__(self) -> None:
        self._place: Place | None = None
        self._queues: list[str] = []
        self._swept_at = 0.0

    def place(self, queues: Collection[str]) -> Place | None:
        """Where to begin; None: at the beginning. Only with one queue is there one line."""
        now = time.monotonic()
        same = list(queues) == self._queues and len(self._queues) == 1
        if self._place is None or not same or now - self._swept_at > SWEEP_SECONDS:
            self._place = None
            self._queues = list(queues)
            self._swept_at = now
        return self._place

    def claimed(self, rows: Sequence[Claimed], *, full: bool) -> None:
        """What the claim brought; `full` when there may be more behind it."""
        self._place = rows[-1].place if full and rows else None
