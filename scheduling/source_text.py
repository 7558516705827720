"""The text of a file that a command is given; `-` is standard input."""

import sys
from pathlib import Path

from scheduling.errors import InvalidSchedule

#: Largest file taken, bytes.
MAX_BYTES = 50_000_000


def text_of(source: str) -> str:
    """Raises InvalidSchedule, with the reason, for what cannot be read as UTF-8."""
    if source == "-":
        return sys.stdin.read()
    path = Path(source)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InvalidSchedule(f"{path} is larger than {MAX_BYTES} bytes.", field="file")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSchedule(f"{path} cannot be read: {error}", field="file") from error
