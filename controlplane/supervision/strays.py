"""Processes that programs left behind: a command started in its own session by a worker that died.

On Linux the supervisor asks the kernel to be made their parent, so that it can find and end them.
Elsewhere they go to init and are out of reach.
"""

import ctypes
import glob
import os
import signal
import sys
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36

# How long adopted processes may take to notice that their parent is gone.
GRACE_SECONDS = 0.5

# A process that does not die of SIGKILL within this time hangs in the kernel.
PATIENCE_SECONDS = 1.0


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap(known: Collection[int]) -> None:
    """Collect adopted processes that have ended; `known` ones are collected by their owners."""
    if sys.platform != "linux":
        return
    with suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid in known:
                return
            os.waitpid(ended.si_pid, 0)


def end_all(known: Collection[int]) -> int:
    """Kill every adopted process, and those it leaves in turn; return how many there were.

    Those that are about to end by themselves, as their parent has, are left a moment for it.
    """
    killed: set[int] = set()
    deadline = time.monotonic() + GRACE_SECONDS
    while adopted(known) and time.monotonic() < deadline:
        threading.Event().wait(GRACE_SECONDS / 20)
        reap(known)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (found := adopted(known)) and time.monotonic() < deadline:
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        killed.update(found)
    return len(killed)


def adopted(known: Collection[int]) -> list[int]:
    """Return our children that we did not start ourselves."""
    listed = Path(f"/proc/self/task/{os.getpid()}/children")
    if not listed.exists():
        return []
    return [pid for pid in map(int, listed.read_text(encoding="ascii").split()) if pid not in known]


def descendants(ancestor: int) -> list[int]:
    """Return every process that comes from this one, also those in sessions of their own."""
    children: dict[int, list[int]] = {}
    for pid, parent in parents():
        children.setdefault(parent, []).append(pid)
    found = list(children.get(ancestor, []))
    for pid in found:
        found.extend(children.get(pid, []))
    return found


def parents() -> list[tuple[int, int]]:
    """Return every process and its parent (on Linux)."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        with suppress(OSError, ValueError):
            # After the name, which may itself hold spaces and brackets: state, parent.
            fields = Path(path).read_text(errors="replace").rpartition(")")[2].split()
            found.append((int(path.split("/")[2]), int(fields[1])))
    return found
