"""A text stream whose other end is the log of an execution."""

import io
from typing import Literal

from jobs.runtime.context import JobContext
from jobs.tasks.last_line import LastLine


class CommandOutput(io.TextIOBase):
    """What a management command takes as its stdout or stderr."""

    def __init__(self, context: JobContext, stream: Literal["stdout", "stderr"]) -> None:
        self._context = context
        self._stream: Literal["stdout", "stderr"] = stream
        self.last_line = LastLine()

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        """Log `text` at once."""
        self._context.write_output(self._stream, text)
        self.last_line.feed(text.encode("utf-8", "replace"))
        return len(text)
