"""The server process itself: is one alive for this data folder, does it answer, end it."""

import glob
import os
import re
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

from controlplane.embedded_postgres.binaries import Binaries
from controlplane.embedded_postgres.errors import EmbeddedPostgresError
from controlplane.embedded_postgres.place import PORT, SOCKET_NAME, SUPERUSER, Place

POLL_SECONDS = 0.02

# Fast (ask sessions to leave, write a checkpoint), immediate (recover at next start), none at all.
STOPPING = ((signal.SIGINT, 5.0), (signal.SIGQUIT, 2.0), (signal.SIGKILL, 2.0))


def answers(place: Place, binaries: Binaries) -> bool:
    """Ask the server itself: a process or a pid file prove nothing."""
    command = [binaries.program("pg_isready"), "-q", "-t", "3", "-U", SUPERUSER]
    where = ["-h", str(place.socket_dir), "-p", PORT]
    asked = subprocess.run([*command, *where], capture_output=True, check=False)
    return asked.returncode == 0


def living_pid(data: Path) -> int | None:
    """Return the pid of a live server for this data folder.

    Told by its command line, since the pid file may be stale and name a stranger; a killed server
    that nobody has reaped has no command line and does not count.
    """
    wanted = ["-D", str(data)]
    for pid, words in command_lines():
        if words and os.path.basename(words[0]) == "postgres" and words[1:3] == wanted:
            return pid
    return None


def command_lines() -> list[tuple[int, list[str]]]:
    if not os.path.exists("/proc/self/cmdline"):
        return command_lines_by_ps()
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with suppress(OSError):
            words = os.fsdecode(Path(path).read_bytes()).split("\0")
            found.append((int(path.split("/")[2]), words))
    return found


def command_lines_by_ps() -> list[tuple[int, list[str]]]:
    listing = subprocess.run(["ps", "-axo", "pid=,args="], capture_output=True, text=True)
    found = []
    for line in listing.stdout.splitlines():
        pid, _, arguments = line.strip().partition(" ")
        program, _, rest = arguments.partition(" -D ")
        found.append((int(pid), [program, "-D", rest]))
    return found


def remove_remains(place: Place) -> None:
    """Remove what a server that died without a goodbye has left; only call when none lives."""
    for path in (
        place.data / "postmaster.pid",
        place.socket_dir / SOCKET_NAME,
        place.socket_dir / f"{SOCKET_NAME}.lock",
    ):
        path.unlink(missing_ok=True)


def wait_until_it_answers(place: Place, binaries: Binaries, seconds: float) -> None:
    """Wait for a server that is alive but busy starting (recovery after a crash takes a while)."""
    deadline = time.monotonic() + seconds
    while not answers(place, binaries):
        if time.monotonic() > deadline or living_pid(place.data) is None:
            raise EmbeddedPostgresError(
                f"The embedded database does not answer: {last_words(place.log)}"
            )
        threading.Event().wait(POLL_SECONDS)


def end(place: Place) -> None:
    """Stop the server, ever less politely."""
    for number, patience in STOPPING:
        pid = living_pid(place.data)
        if pid is None:
            break
        with suppress(ProcessLookupError):
            os.kill(pid, number)
        deadline = time.monotonic() + patience
        while living_pid(place.data) is not None and time.monotonic() < deadline:
            threading.Event().wait(POLL_SECONDS)


def last_words(log: Path) -> str:
    """Return the last error line of the server's log, which says why it would not start."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return f"no log at {log}"
    telling = [line for line in lines[-50:] if re.search(r"\b(FATAL|PANIC|ERROR):", line)]
    return f"{(telling or lines or ['nothing logged'])[-1].strip()} (log: {log})"
