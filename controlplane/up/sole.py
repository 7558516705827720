"""One installation per checkout: a second `up` is told where the first one is."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import IO

from controlplane.up.errors import UpError

# The processes of a supervisor that was killed are given this long to be stopped.
PATIENCE_SECONDS = 15.0


class Claim:
    """The right to run here. `note` leaves word for whoever comes second."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def fileno(self) -> int:
        return self._file.fileno()

    def note(self, address: str) -> None:
        self._file.seek(0)
        self._file.truncate()
        self._file.write(f"{os.getpid()} {address}\n")
        self._file.flush()


@contextmanager
def claim(var_dir: Path) -> Iterator[Claim]:
    """Claim the checkout. Raises UpError while another `up` runs in it.

    The lock may outlive a killed supervisor for the seconds that its guardian needs to clean up;
    that is waited for.
    """
    with (var_dir / "up.lock").open("a+", encoding="utf-8") as file:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not is_free(file):
            pid, address = read_note(file)
            if is_alive(pid) or time.monotonic() > deadline:
                where = f" at {address}" if address else ""
                raise UpError(f"Control Plane runs already{where} (process {pid})")
            Event().wait(0.1)
        yield Claim(file)
        file.truncate(0)


def is_free(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def read_note(file: IO[str]) -> tuple[int, str]:
    file.seek(0)
    pid, _, address = file.read().strip().partition(" ")
    return (int(pid) if pid.isdigit() else 0), address


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return pid > 0
