"""The last line of an output that may be endless, for results and error messages."""

import re

#: Longest line given, characters; a longer one keeps its start.
MAX_LINE_CHARS = 200
_TAIL_BYTES = 8192

_ESCAPE_SEQUENCE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|.)?")


class LastLine:
    """Keeps the tail of what it is fed, nothing more."""

    def __init__(self) -> None:
        self._tail = b""

    def feed(self, data: bytes) -> None:
        """Take the next piece of output."""
        self._tail = (self._tail + data[-_TAIL_BYTES:])[-_TAIL_BYTES:]

    def text(self) -> str:
        """The last line that is not blank, without colours and control characters; "" if none."""
        plain = _ESCAPE_SEQUENCE.sub("", self._tail.decode("utf-8", "replace"))
        for line in reversed(plain.splitlines()):
            shown = "".join(char if char.isprintable() else " " for char in line).strip()
            if shown:
                return shown[:MAX_LINE_CHARS]
        return ""
