"""Evidence that survives kill -9: lines in a file, each whole or absent, on disk at return."""

import os
from pathlib import Path


def testify(path: str | Path, line: str) -> None:
    """Append one line. Safe from many processes: a short O_APPEND write is one piece."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, f"{line}\n".encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def testimony(path: str | Path) -> list[str]:
    """The lines so far; none when nobody has testified."""
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
