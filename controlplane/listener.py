"""A thread with its own connection that hears PostgreSQL notifications. They are hints: losing it
costs time, not work.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
from django.db import connections  # noqa: TID251 - only for the connection's parameters
from psycopg import sql

#: How long one wait for notifications lasts before the stop flag is looked at, seconds.
WAIT_SECONDS = 0.5
#: Waits between tries to connect, seconds; the last one repeats.
RECONNECT_DELAYS = (0.2, 0.5, 1.0, 2.0)


class Listener(threading.Thread):
    """Calls `heard(channel, payload)` for each notification, and `heard("", "")` after each
    (re)connect.

    The latter stands for whatever may have been missed: the caller should look for itself.
    """

    def __init__(self, channels: Sequence[str], heard: Callable[[str, str], None]) -> None:
        super().__init__(name="listener", daemon=True)
        self.channels = channels
        self.heard = heard
        self._stop_flag = threading.Event()

    def run(self) -> None:
        failures = 0
        while not self._stop_flag.is_set():
            try:
                with self._connect() as link:
                    failures = 0
                    self.heard("", "")
                    self._listen(link)
            except psycopg.Error:
                delay = RECONNECT_DELAYS[min(failures, len(RECONNECT_DELAYS) - 1)]
                failures += 1
                self._stop_flag.wait(delay)

    def stop(self) -> None:
        """End within a wait; does not block."""
        self._stop_flag.set()

    def _connect(self) -> psycopg.Connection[Any]:
        parameters = connections["default"].get_connection_params()
        for ours in ("cursor_factory", "context"):
            parameters.pop(ours, None)
        parameters["application_name"] = "controlplane listener"
        link = psycopg.connect(**parameters, autocommit=True)
        for channel in self.channels:
            link.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        return link

    def _listen(self, link: psycopg.Connection[Any]) -> None:
        while not self._stop_flag.is_set():
            for note in link.notifies(timeout=WAIT_SECONDS):
                self.heard(note.channel, note.payload)
                if self._stop_flag.is_set():
                    return
