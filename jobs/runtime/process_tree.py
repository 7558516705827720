"""End a command with everything it started: its group, its session, and children that left both.

Processes are found through /proc, so a child that called setsid is found as long as its parents
live; one whose parents are gone is found by the `marker` in its environment. Without /proc, only
the group is ended.
"""

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
#: First and longest pause between two looks at what is still alive, seconds.
_SHORTEST_PAUSE = 0.01
_LONGEST_PAUSE = 0.1
#: How long to look on after SIGKILL, seconds: uninterruptible sleep is left to the kernel.
_KILL_PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    parent: int
    group: int
    session: int
    #: With the pid this names a process for good: pids are used again, start times are not.
    started: str
    dead: bool


def _read(pid: int) -> _Process | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    # The name in parentheses may itself hold spaces and parentheses.
    fields = stat[stat.rfind(b")") + 2 :].decode("ascii", "replace").split()
    if len(fields) < 20:
        return None
    return _Process(
        pid=pid,
        parent=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        started=fields[19],
        dead=fields[0] in "ZX",
    )


def _snapshot() -> dict[int, _Process]:
    try:
        names = os.listdir(_PROC)
    except OSError:
        return {}
    found = (_read(int(name)) for name in names if name.isdigit())
    return {process.pid: process for process in found if process is not None}


def _below(roots: Iterable[int], processes: dict[int, _Process]) -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for process in processes.values():
        children.setdefault(process.parent, []).append(process.pid)
    waiting, seen = list(roots), set(roots)
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in seen:
                seen.add(child)
                waiting.append(child)
                yield child


def descendants(pid: int) -> list[int]:
    """Living children of `pid`, their children and so on, ascending; not `pid` itself."""
    processes = _snapshot()
    return sorted(child for child in _below([pid], processes) if not processes[child].dead)


def left_behind(pid: int) -> list[int]:
    """Living processes in the session or group that `pid` leads, ascending; not `pid` itself."""
    return sorted(
        process.pid
        for process in _snapshot().values()
        if pid in (process.session, process.group) and process.pid != pid and not process.dead
    )


def kill_group(pgid: int) -> None:
    """SIGKILL a process group; one that is gone, not ours to end, or our own is left alone."""
    _signal_group(pgid, signal.SIGKILL)


def _signal_group(pgid: int, number: signal.Signals) -> None:
    if pgid > 1 and pgid != os.getpgrp():
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pgid, number)


def _carries(pid: int, marker: bytes) -> bool:
    try:
        return marker in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


class _Tree:
    """The processes of one command; it grows as they fork, and forgets none that lives."""

    def __init__(self, root: int, marker: str) -> None:
        self._root = root
        self._marker = os.fsencode(marker)
        self._known: dict[int, str] = {}
        self._unmarked: set[tuple[int, str]] = set()

    def living(self) -> list[_Process]:
        """Members alive now, by pid. Looks at /proc anew."""
        processes = _snapshot()
        if not processes:
            return self._living_without_proc()
        self._known = {
            pid: started
            for pid, started in self._known.items()
            if pid in processes and processes[pid].started == started
        }
        for pid in self._members(processes):
            self._known[pid] = processes[pid].started
        return [processes[pid] for pid in sorted(self._known) if not processes[pid].dead]

    def _living_without_proc(self) -> list[_Process]:
        if self._root == os.getpgrp():
            return []
        try:
            os.killpg(self._root, 0)
        except OSError:
            return []
        root = self._root
        return [_Process(root, parent=0, group=root, session=root, started="", dead=False)]

    def _members(self, processes: dict[int, _Process]) -> Iterator[int]:
        spared = {0, 1, os.getpid()}
        seeds = {
            process.pid
            for process in processes.values()
            if process.pid not in spared and self._is_seed(process)
        }
        yield from seeds
        yield from (pid for pid in _below(seeds, processes) if pid not in spared)

    def _is_seed(self, process: _Process) -> bool:
        return (
            process.pid == self._root
            or process.pid in self._known
            or (self._root in (process.group, process.session) and process.group != os.getpgrp())
            or self._is_marked(process)
        )

    def _is_marked(self, process: _Process) -> bool:
        """Whether it carries the marker; asked once of each process, since none gets it later."""
        identity = (process.pid, process.started)
        if not self._marker or identity in self._unmarked:
            return False
        if _carries(process.pid, self._marker):
            return True
        self._unmarked.add(identity)
        return False


def _send(processes: Iterable[_Process], number: signal.Signals) -> None:
    for process in processes:
        now = _read(process.pid)
        if now is not None and now.started == process.started:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, number)


def terminate_tree(
    pid: int,
    *,
    grace_seconds: float,
    wait: Callable[[float], object] | None = None,
    marker: str = "",
) -> list[int]:
    """SIGTERM the tree of `pid`, wait up to `grace_seconds` for its end, SIGKILL what is left.

    The tree is `pid`, its descendants, its group and session if it leads them, and every process
    whose environment holds `marker` ("NAME=value"). `wait(seconds)` is called for each short pause
    (default: sleep); a parent may reap its child there. Returns the pids that could not be ended,
    normally none. Raises ValueError for the caller's own pid and for pids up to 1.
    """
    if pid <= 1 or pid == os.getpid():
        raise ValueError(f"{pid} is no process tree to end.")
    tree, pause = _Tree(pid, marker), wait or time.sleep
    before = tree.living()
    _signal_group(pid, signal.SIGTERM)
    outside_group = [process for process in before if process.group != pid]
    _send(outside_group, signal.SIGTERM)
    _send(tree.living(), signal.SIGCONT)  # a stopped process acts on SIGTERM only when it goes on
    if _gone_within(tree, grace_seconds, pause, kill=False):
        return []
    kill_group(pid)
    _gone_within(tree, _KILL_PATIENCE, pause, kill=True)
    return [process.pid for process in tree.living()]


def kill_tree(pid: int) -> None:
    """SIGKILL `pid` and its tree at once; what is gone, or not ours to end, is left alone."""
    if pid <= 1 or pid == os.getpid():
        return
    tree = _Tree(pid, "")
    tree.living()  # before its head falls: orphans are not found by their ancestry
    kill_group(pid)
    _gone_within(tree, _KILL_PATIENCE, time.sleep, kill=True)


def _gone_within(
    tree: _Tree, seconds: float, pause: Callable[[float], object], *, kill: bool
) -> bool:
    deadline = time.monotonic() + seconds
    length = _SHORTEST_PAUSE
    while living := tree.living():
        if kill:  # again in every round: a dying tree may fork meanwhile
            _send(living, signal.SIGKILL)
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        pause(min(length, left))
        length = min(length * 2, _LONGEST_PAUSE)
    return True
