"""One command as a process: in a session of its own, streamed, ended with all it started."""

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
from jobs.runtime.process_tree import left_behind, terminate_tree
from jobs.tasks.command_line import CommandLine
from jobs.tasks.command_user import CommandUser, environment_for
from jobs.tasks.last_line import LastLine

Stream = Literal["stdout", "stderr"]

_READ_BYTES = 65_536
#: In the environment of everything a command starts, with a value no other run has.
_MARKER = "CONTROL_PLANE_RUN"
#: A process that was killed is gone at once, unless it hangs in the kernel. Seconds.
_REAP_SECONDS = 5.0


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
    """A running command. One thread owns it: it calls `pump` until `exited`, then `close`."""

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
        self._pidfd = -1
        self._selector = selectors.DefaultSelector()
        self._outputs: dict[int, Stream] = {}
        self.last_lines: dict[Stream, LastLine] = {"stdout": LastLine(), "stderr": LastLine()}
        self._watch()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def output_ended(self) -> bool:
        """Whether nobody can write any more, neither the command nor what it left behind."""
        return not self._outputs

    def exited(self) -> bool:
        """Whether the command itself has ended. It is not reaped yet, so its pid stays its own."""
        try:
            how = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return True
        return how is not None

    def pump(self, seconds: float) -> None:
        """Move what the pipes hold; wait up to `seconds` for that, or for the command's end."""
        for key, _ in self._selector.select(seconds):
            if key.fd in self._outputs:
                self._read(key.fd)
            elif key.fd == self._pidfd:
                self._selector.unregister(key.fd)
            else:
                self._feed(key.fd)

    def drain(self, seconds: float) -> None:
        """Take what is still in the pipes, until they close or the time is over."""
        deadline = time.monotonic() + seconds
        while not self.output_ended and (left := deadline - time.monotonic()) > 0:
            self.pump(left)

    def end_tree(self, grace_seconds: float) -> list[int]:
        """End the command and all it started, daemons too. Returns the pids that would not end."""
        return terminate_tree(
            self.pid, grace_seconds=grace_seconds, wait=self.pump, marker=self._marker
        )

    def leftovers(self) -> list[int]:
        """What still lives in the command's session, normally nothing once it has exited."""
        return left_behind(self.pid)

    def end_leftovers(self, grace_seconds: float) -> list[int]:
        """End what stayed behind in the session; what left it on purpose lives on."""
        return terminate_tree(self.pid, grace_seconds=grace_seconds, wait=self.pump)

    def close(self) -> int:
        """Close the pipes and reap; the exit code, or minus the number of the signal that ended it.

        Raises subprocess.TimeoutExpired if the command still runs.
        """
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None and not pipe.closed:
                with suppress(OSError):
                    pipe.close()
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1
        self._selector.close()
        return self._process.wait(timeout=_REAP_SECONDS)

    def _watch(self) -> None:
        outputs: tuple[tuple[Stream, IO[bytes] | None], ...] = (
            ("stdout", self._process.stdout),
            ("stderr", self._process.stderr),
        )
        for stream, pipe in outputs:
            if pipe is not None:
                self._outputs[pipe.fileno()] = stream
                self._selector.register(pipe.fileno(), selectors.EVENT_READ)
        if self._process.stdin is not None:
            os.set_blocking(self._process.stdin.fileno(), False)
            self._selector.register(self._process.stdin.fileno(), selectors.EVENT_WRITE)
        with suppress(OSError, AttributeError):  # without it the end is seen at the next look
            self._pidfd = os.pidfd_open(self.pid)
            self._selector.register(self._pidfd, selectors.EVENT_READ)

    def _read(self, fd: int) -> None:
        data = os.read(fd, _READ_BYTES)
        stream = self._outputs[fd]
        if data:
            self.last_lines[stream].feed(data)
            self._write(stream, data)
        else:
            self._selector.unregister(fd)
            del self._outputs[fd]

    def _feed(self, fd: int) -> None:
        try:
            self._unsent = self._unsent[os.write(fd, self._unsent) :]
        except BlockingIOError:
            return
        except OSError:  # the command has closed its input: it wants no more
            self._unsent = memoryview(b"")
        if not self._unsent and self._process.stdin is not None:
            self._selector.unregister(fd)
            self._process.stdin.close()
