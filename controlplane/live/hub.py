"""Hands events to those who look on: one reader for a process, however many viewers it has.

Runs in the event loop. Reading the database happens in a single thread beside it, only while
somebody looks on, and once for all of them.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from controlplane.listener import Listener
from controlplane.live.source import Happening, Source
from jobs.sql import JOBS_CHANNEL

#: Channel on which the audit trail tells that something was recorded.
EVENTS_CHANNEL = "controlplane_events"
#: After a notification the reader waits so long for more of them, seconds.
GATHER_SECONDS = 0.1
#: Happenings kept for viewers that come back after a short break.
REMEMBERED = 500
#: Happenings that may wait for a slow viewer; beyond, it is told to look at everything again.
WAITING = 100
#: Told instead of happenings when it is not known which ones, or when they are too many.
SYNC = "sync"


@dataclass(eq=False, slots=True)
class Viewer:
    """Somebody who looks on, as far as the choice of what they may hear needs it."""

    user_id: int
    sees_all_jobs: bool
    sees_all_schedules: bool
    reads_audit: bool
    queue: asyncio.Queue[str] = field(default_factory=lambda: asyncio.Queue(WAITING))
    #: Their session or their rights have ended.
    gone: bool = False

    def may_hear(self, happening: Happening) -> bool:
        """Other people's things do not exist for those who may not see them."""
        if happening.target_type == "job":
            return self.sees_all_jobs or happening.owner_id == self.user_id
        if happening.target_type == "schedule":
            return self.sees_all_schedules or happening.owner_id == self.user_id
        return self.reads_audit


class Hub:
    """One of a process."""

    def __init__(self, source: Source | None = None) -> None:
        self.viewers: set[Viewer] = set()
        self._source = source or Source()
        self._epoch = secrets.token_hex(4)
        self._number = 0
        self._remembered: deque[tuple[int, Happening]] = deque(maxlen=REMEMBERED)
        self._thread: ThreadPoolExecutor | None = None
        self._listener: Listener | None = None
        self._news = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None

    def enter(self, viewer: Viewer, last_event_id: str = "") -> list[str]:
        """Let somebody look on; returns what they missed since the event they know, or `sync`."""
        self.viewers.add(viewer)
        self._start()
        missed = self._missed(last_event_id)
        if missed is None:
            return [self._frame(SYNC, "{}")]
        return [self._told(number, one) for number, one in missed if viewer.may_hear(one)]

    def leave(self, viewer: Viewer) -> None:
        """They are gone; with the last one the reader rests."""
        self.viewers.discard(viewer)
        if not self.viewers:
            self._stop()

    def close(self) -> None:
        """End all streams: the process is shutting down."""
        for viewer in list(self.viewers):
            self._dismiss(viewer)
        self._stop()

    def _start(self) -> None:
        if self._reader is not None:
            return
        loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="live")
        self._reader = loop.create_task(self._read(), name="live reader")

        def heard(channel: str, payload: str) -> None:
            with suppress(RuntimeError):  # the loop has ended; so will this thread
                loop.call_soon_threadsafe(self._heard, channel)

        self._listener = Listener((EVENTS_CHANNEL, JOBS_CHANNEL), heard)
        self._listener.start()

    def _stop(self) -> None:
        if self._listener is not None:
            self._listener.stop()
            self._listener = None
        if self._reader is not None:
            self._reader.cancel()
            self._reader = None
        if self._thread is not None:
            self._thread.submit(self._source.close)
            self._thread.shutdown(wait=False)
            self._thread = None
        self._remembered.clear()
        self._epoch = secrets.token_hex(4)

    def _heard(self, channel: str) -> None:
        if not channel:  # the listener has (re)connected: nobody knows what was missed
            self._source.forget()
        self._news.set()

    async def _read(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._news.wait()
            await asyncio.sleep(GATHER_SECONDS)
            self._news.clear()
            happenings = await loop.run_in_executor(self._thread, self._source.read)
            if happenings is None:
                self._tell_all(SYNC)
            else:
                self._spread(happenings)

    def _spread(self, happenings: Sequence[Happening]) -> None:
        for happening in happenings:
            self._number += 1
            self._remembered.append((self._number, happening))
            told = self._told(self._number, happening)
            for viewer in list(self.viewers):
                if viewer.may_hear(happening):
                    self._put(viewer, told)
                if happening.ends_session_of == viewer.user_id:
                    self._dismiss(viewer)

    def _tell_all(self, name: str) -> None:
        for viewer in self.viewers:
            self._put(viewer, self._frame(name, "{}"))

    def _put(self, viewer: Viewer, frame: str) -> None:
        """A viewer that is too slow gets one `sync` in place of all that waits for it."""
        if viewer.queue.full():
            while not viewer.queue.empty():
                viewer.queue.get_nowait()
            frame = self._frame(SYNC, "{}")
        viewer.queue.put_nowait(frame)

    def _dismiss(self, viewer: Viewer) -> None:
        viewer.gone = True
        self._put(viewer, self._frame("bye", "{}"))

    def _missed(self, last_event_id: str) -> list[tuple[int, Happening]] | None:
        epoch, _, number = last_event_id.partition("-")
        if epoch != self._epoch or not (number.isascii() and number.isdigit()):
            return None
        known = int(number[:18])
        oldest = self._remembered[0][0] if self._remembered else self._number + 1
        if known > self._number or known < oldest - 1:
            return None
        return [entry for entry in self._remembered if entry[0] > known]

    def _told(self, number: int, happening: Happening) -> str:
        return self._frame("event", happening.json(), number)

    def _frame(self, name: str, data: str, number: int | None = None) -> str:
        count = self._number if number is None else number
        return f"id: {self._epoch}-{count}\nevent: {name}\ndata: {data}\n\n"
