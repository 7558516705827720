"""One readable log out of what several programs print: time, name, line."""

import codecs
import os
import time
from collections.abc import Iterator
from typing import IO, TextIO

# A line without end is cut here, so that a program cannot fill our memory with one.
LINE_CHARACTERS = 16_000

COLOURS = {"web": 36, "executor": 32, "scheduler": 35, "watchdog": 33, "up": 34}

# Control characters other than a tab could rewrite the terminal; they are shown, not obeyed.
UNPRINTABLE = {code: f"\\x{code:02x}" for code in [*range(32), 127] if code != 9}


def say(stream: TextIO, line: str) -> bool:
    """Write a line and return whether anybody can still read it; once gone, always gone.

    A reader that went away must not keep us from stopping what runs: the rest goes nowhere.
    """
    try:
        stream.write(line + "\n")
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        return False
    return True


class Log:
    """Writes lines to the terminal. A terminal that has gone away is noted, not an error."""

    def __init__(self, stream: TextIO) -> None:
        self.is_broken = False
        self._stream = stream
        self._coloured = stream.isatty()

    def write(self, name: str, line: str) -> None:
        """Write one line under a program's name."""
        label = f"{name:<9}"
        if self._coloured:
            label = f"\x1b[{COLOURS.get(name, 37)}m{label}\x1b[0m"
        text = line.translate(UNPRINTABLE)
        self.is_broken |= not say(self._stream, f"{time.strftime('%H:%M:%S')} {label} {text}")


class Lines:
    """Cuts one program's output into lines."""

    def __init__(self, name: str, pipe: IO[bytes]) -> None:
        self.name = name
        self.pipe = pipe
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""

    def read(self) -> list[str] | None:
        """Return the complete lines that are there now, or None at the end of the output."""
        try:
            chunk = os.read(self.pipe.fileno(), 65_536)
        except BlockingIOError:
            return []
        if not chunk:
            return None
        self._rest += self._decoder.decode(chunk)
        return list(self._complete())

    def close(self) -> list[str]:
        """Close the pipe and return what was printed without a line's end."""
        self.pipe.close()
        rest, self._rest = self._rest, ""
        return [rest] if rest else []

    def _complete(self) -> Iterator[str]:
        *lines, self._rest = self._rest.replace("\r\n", "\n").split("\n")
        yield from (line for line in lines if line)
        while len(self._rest) > LINE_CHARACTERS:
            yield self._rest[:LINE_CHARACTERS]
            self._rest = self._rest[LINE_CHARACTERS:]
