"""One command as a process: started in a session of its own, streamed, and ended with all it started."""

from __future__ import annotations

import errno
import os
import secrets
import selectors
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Literal

from jobs.errors import PermanentFailure
from jobs.runtime.process_tree import terminate_tree
from jobs.tasks.command_line import CommandLine
from jobs.tasks.command_user import CommandUser, environment_for
from jobs.tasks.last_line import LastLine

Stream = Literal["stdout", "stderr"]

_READ_BYTES = 65_536
#: In the environment of everything a command starts, with a value no other run has.
_MARKER = "CONTROL_PLANE_RUN"


def start(
    line: CommandLine, user: CommandUser, write: Callable[[Stream, bytes], None]
) -> CommandProcess:
    """Start the command. Raises PermanentFailure when there is no such program or folder."""
    marker = f"{_MARKER}={secrets.token_hex(16)}"
    name, _, value = marker.partition("=")
    try:
        process = subprocess.Popen(
            line.argv,
            stdin=subprocess.PIPE if line.stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=line.cwd or (user.home if user.uid is not None else None),
            env={**environment_for(user, line.env), name: value},
            start_new_session=True,
            user=user.uid,
            group=user.gid,
            extra_groups=user.groups,
        )
    except OSError as error:
        raise _refusal(error, line) from error
    return CommandProcess(process, line.stdin.encode(), marker, write)


def _refusal(error: OSError, line: CommandLine) -> Exception:
    program = line.argv[0]
    if line.cwd and error.filename == line.cwd:
        return PermanentFailure(f"cwd: {line.cwd}: {error.strerror}.", code="cwd_not_found")
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return PermanentFailure(f"{program}: command not found.", code="command_not_found")
        case errno.EACCES | errno.ENOEXEC | errno.EPERM:
            return PermanentFailure(
                f"{program}: cannot be run: {error.strerror}.", code="command_not_executable"
            )
        case errno.E2BIG:
            return PermanentFailure("argv and env together are too long.", code="command_too_long")
    return error  # no memory, no free process: another attempt may fare better


class CommandProcess:
    """A running command. One thread owns it and calls `pump` until `exited`, then `finish`."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        stdin: bytes,
        marker: str,
        write: Callable[[Stream, bytes], None],
    ) -> None:
        self._process = process
        self._marker = marker
        self._write = write
        self._unsent = memoryview(stdin)
        self._selector = selectors.DefaultSelector()
        self._open_outputs = 0
        self.last_lines: dict[Stream, LastLine] = {"stdout": LastLine(), "stderr": LastLine()}
        self._register(process)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def output_ended(self) -> bool:
        """Whether nobody can write any more, neither the command nor what it left behind."""
        return self._open_outputs == 0

    def exited(self) -> bool:
        """Whether the command itself has ended. It is not reaped, so that its pid stays its own."""
        if self._process.returncode is not None:
            return True
        try:
            ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return True
        return ended is not None

    def pump(self, seconds: float) -> None:
        """Move what can be moved through the pipes; wait up to `seconds` for something to move."""
        deadline = time.monotonic() + seconds
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                self._feed(key.fileobj)  # type: ignore[arg-type]
            else:
                self._read(key.fileobj, key.data)  # type: ignore[arg-type]
            if time.monotonic() >= deadline:
                break
        if not self._selector.get_map() and not self.exited():
            self._wait_for_exit(max(0.0, deadline - time.monotonic()))

    def drain(self, seconds: float) -> None:
        """Take what is still in the pipes, until they close or the time is over."""
        deadline = time.monotonic() + seconds
        while not self.output_ended and (left := deadline - time.monotonic()) > 0:
            self.pump(min(left, 0.05))

    def end_tree(self, grace_seconds: float) -> list[int]:
        """End the command and all it started, daemons included; output goes on being taken meanwhile."""
        return terminate_tree(
            self.pid, grace_seconds=grace_seconds, wait=self.pump, marker=self._marker
        )

    def end_leftovers(self, grace_seconds: float) -> list[int]:
        """End what stayed behind in the command's session. What left it on purpose lives on."""
        return terminate_tree(self.pid, grace_seconds=grace_seconds, wait=self.pump)

    def close(self) -> int:
        """Close the pipes and reap the command; the exit code, or minus the signal that ended it."""
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._selector.close()
        return self._process.wait(timeout=5)
