"""A small process that outlives a killed supervisor just long enough to stop what it ran.

It reads lines from the supervisor: `+ PID SECONDS` for a process group that runs, `- PID` for one
that has ended, `bye` before an orderly end. If the pipe ends without `bye` the supervisor was
killed: the groups are stopped in the order in which they are to be stopped, and the embedded
database too if nobody else uses it.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

from controlplane import embedded_postgres
from controlplane.supervision import strays

POLL_SECONDS = 0.05


class Guardian:
    """The supervisor's end of the pipe."""

    def __init__(self, var_dir: Path | None, *, kept_open: Collection[int] = ()) -> None:
        """`kept_open` are file descriptors whose locks are to last until the guardian ends."""
        command = [sys.executable, "-m", __name__, *([str(var_dir)] if var_dir else [])]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).resolve().parents[2],
            start_new_session=True,
            pass_fds=kept_open,
        )
        self.pid = self._process.pid

    def tell(self, line: str) -> None:
        """Pass on one line; a guardian that was itself killed is no reason to fail."""
        if self._process.stdin:
            with suppress(OSError):
                self._process.stdin.write(line + "\n")
                self._process.stdin.flush()

    def dismiss(self) -> None:
        """End it after an orderly stop."""
        self.tell("bye")
        with suppress(OSError, subprocess.TimeoutExpired):
            self._process.communicate(timeout=2)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


def main(arguments: list[str]) -> None:
    groups: dict[int, float] = {}
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["bye"]:
            return
        if words[:1] == ["+"]:
            groups[int(words[1])] = float(words[2])
        if words[:1] == ["-"]:
            groups.pop(int(words[1]), None)
    with suppress(OSError):
        sys.stderr.write("The supervisor was killed; stopping the processes it ran\n")
    stop(groups)
    if arguments:
        embedded_postgres.stop_if_unused(Path(arguments[0]))


def stop(groups: dict[int, float]) -> None:
    """Stop process groups one after the other: SIGTERM, their patience, SIGKILL."""
    for group, seconds in groups.items():
        send(group, signal.SIGTERM)
        deadline = time.monotonic() + seconds
        while send(group, 0) and time.monotonic() < deadline:
            threading.Event().wait(POLL_SECONDS)
        if send(group, 0):
            # One that has to be killed cannot stop the commands it had started any more.
            kill(strays.descendants(group))
            send(group, signal.SIGKILL)


def kill(pids: Iterable[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def send(group: int, number: int) -> bool:
    """Send a signal to a group, and say whether there was anyone to receive it."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


if __name__ == "__main__":
    main(sys.argv[1:])
