"""How programs tell each other when something happened: a file of clock readings."""

import os
import struct
from pathlib import Path

#: One reading of the monotonic clock, which all processes of a machine share.
MOMENT = struct.Struct("<d")


def append_moment(path: str, moment: float) -> None:
    """Add one reading to a file of readings."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, MOMENT.pack(moment))
    finally:
        os.close(file)


def last_moment(path: str) -> float:
    """The newest reading."""
    return float(MOMENT.unpack(Path(path).read_bytes()[-MOMENT.size :])[0])
