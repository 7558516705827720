"""Memory that an executor shares with its keeper: what has begun, and what to kill should the
executor die.

The executor writes, its keeper reads, also after a kill -9 of the executor: an anonymous mapping
outlives it.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass

#: Most executions an executor may hold at once.
ATTEMPTS = 8192
#: Most process groups tracked at once.
GROUPS = 1024

_HEADER = struct.Struct("<Q")  # heartbeat
_ATTEMPT = struct.Struct(
    "<qdBB6x"
)  # execution id, hard deadline (monotonic seconds, 0: none), state, alone
_GROUP = struct.Struct("<q")  # process group id
_ATTEMPTS_AT = _HEADER.size
_GROUPS_AT = _ATTEMPTS_AT + ATTEMPTS * _ATTEMPT.size
_SIZE = _GROUPS_AT + GROUPS * _GROUP.size

_FREE, _CLAIMED, _STARTED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Entry:
    """One attempt as the keeper sees it."""

    execution_id: int
    deadline: float
    started: bool
    alone: bool


class Full(Exception):
    """The ledger holds as many attempts, or groups, as it can."""


class Ledger:
    """Hands each place to one taker, as popping from a list is one step; a place has one writer."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SIZE)
        self._free_attempts = list(range(ATTEMPTS - 1, -1, -1))
        self._free_groups = list(range(GROUPS - 1, -1, -1))
        self._beats = 0

    # the executor's side

    def beat(self) -> None:
        """The main loop moves."""
        self._beats += 1
        _HEADER.pack_into(self._memory, 0, self._beats)

    def enter(self, execution_id: int) -> int:
        """Note a claimed execution; returns its place. Raises Full."""
        try:
            place = self._free_attempts.pop()
        except IndexError:
            raise Full from None
        _ATTEMPT.pack_into(self._memory, self._attempt(place), execution_id, 0.0, _CLAIMED, 0)
        return place

    def start(self, place: int, execution_id: int, *, deadline: float, alone: bool) -> None:
        """Note, before its first line runs, that an attempt begins. `deadline` 0: none."""
        _ATTEMPT.pack_into(
            self._memory, self._attempt(place), execution_id, deadline, _STARTED, alone
        )

    def leave(self, place: int) -> None:
        """Forget an execution whose end the database knows."""
        _ATTEMPT.pack_into(self._memory, self._attempt(place), 0, 0.0, _FREE, 0)
        self._free_attempts.append(place)

    def track_group(self, pgid: int) -> int:
        """Note a process group to end with the executor; returns its place. Raises Full."""
        try:
            place = self._free_groups.pop()
        except IndexError:
            raise Full from None
        _GROUP.pack_into(self._memory, _GROUPS_AT + place * _GROUP.size, pgid)
        return place

    def untrack_group(self, place: int) -> None:
        """The group has ended."""
        _GROUP.pack_into(self._memory, _GROUPS_AT + place * _GROUP.size, 0)
        self._free_groups.append(place)

    @property
    def room(self) -> int:
        """How many more executions may enter."""
        return len(self._free_attempts)

    # the keeper's side

    def beats(self) -> int:
        beats: int = _HEADER.unpack_from(self._memory, 0)[0]
        return beats

    def entries(self) -> list[Entry]:
        """All executions held now."""
        raw = self._memory[_ATTEMPTS_AT:_GROUPS_AT]
        return [
            Entry(execution_id, deadline, state == _STARTED, bool(alone))
            for execution_id, deadline, state, alone in _ATTEMPT.iter_unpack(raw)
            if state != _FREE
        ]

    def groups(self) -> list[int]:
        """All process groups tracked now."""
        raw = self._memory[_GROUPS_AT:]
        return [pgid for (pgid,) in _GROUP.iter_unpack(raw) if pgid]

    @staticmethod
    def _attempt(place: int) -> int:
        return _ATTEMPTS_AT + place * _ATTEMPT.size
