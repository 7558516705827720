"""Where an executor may claim from just now: which queues hold work, and which tasks it leaves to
others.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection

from jobs import queue

#: The list of queues with work is good for so long while work is found, seconds.
FRESH_SECONDS = 1.0
#: A task that others know and this executor does not is left to them for so long, seconds.
FOREIGN_SECONDS = 60.0
#: Requested cancels are looked for so often while something runs, seconds.
CANCEL_SECONDS = 2.0


class Sources:
    def __init__(self, queues: Collection[str], exclude: Collection[str]) -> None:
        self._served = frozenset(queues)
        self._exclude = frozenset(exclude)
        self._foreign: dict[str, float] = {}
        self._lock = threading.Lock()
        self._known: list[str] = []
        self._read_at = float("-inf")
        #: The known queues were read from the database, not just named by a notification.
        self._listed = True
        self._cancels_at = 0.0
        self._dry_until = [0.0, 0.0]
        self._news = True
        self._news_at = 0.0
        #: Notifications heard so far.
        self.words = 0

    def is_dry(self, *, isolated: bool) -> bool:
        """Whether a claim found nothing lately and nobody has spoken of new work since."""
        return time.monotonic() < self._dry_until[isolated]

    def queues(self) -> list[str]:
        """Queues that may hold work. The claim itself takes nothing from a paused one."""
        now = time.monotonic()
        if now - self._read_at > FRESH_SECONDS:
            self._read_at = now
            self._listed = True
            found = queue.pending_queues()
            self._known = [name for name in found if not self._served or name in self._served]
        return self._known

    def heard(self, name: str) -> None:
        """A notification named this queue, or "" when any may have been missed: look again.

        When nothing was left to claim anywhere, the named queue is claimed from at once, and the
        list of queues is read after that.
        """
        now = time.monotonic()
        nothing_left = all(now < until for until in self._dry_until)
        self.words += 1
        self._dry_until = [0.0, 0.0]
        self._news = True
        if name and nothing_left and (not self._served or name in self._served):
            self._known, self._read_at, self._listed = [name], now, False
        elif name not in self._known:
            self._read_at = float("-inf")

    def news(self) -> bool:
        """Whether something may have come since this was last asked."""
        now = time.monotonic()
        if self._news or now - self._news_at > FRESH_SECONDS:
            self._news, self._news_at = False, now
            return True
        return False

    def dry(self, *, isolated: bool, seconds: float, words: int) -> bool:
        """A claim found nothing: until a notification there is nothing to look for, but for the
        slow poll. `words` is how many had been heard before the claim: one that came since may be
        of work that the claim could not see yet. False: look again at once.
        """
        if not self._listed or self.words != words:
            self._read_at = float("-inf")
            self._dry_until[isolated] = 0.0
            return False
        self._dry_until[isolated] = time.monotonic() + seconds
        return True

    def excluded(self) -> frozenset[str]:
        """Tasks not to claim."""
        if not self._foreign:
            return self._exclude
        now = time.monotonic()
        with self._lock:
            self._foreign = {task: until for task, until in self._foreign.items() if until > now}
            return self._exclude | self._foreign.keys()

    def leave_to_others(self, task: str) -> None:
        """Some other live executor knows this task."""
        with self._lock:
            self._foreign[task] = time.monotonic() + FOREIGN_SECONDS

    def look_for_cancels(self, worker_id: int, found: Callable[[Collection[int]], None]) -> None:
        """Ask, now and then, whose job somebody wants cancelled."""
        now = time.monotonic()
        if now - self._cancels_at >= CANCEL_SECONDS:
            self._cancels_at = now
            wanted = queue.cancel_requested(worker_id)
            if wanted:
                found(wanted)
