"""Where an embedded server keeps its files and as whom it runs. Nothing here starts anything."""

import hashlib
import os
import pwd
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from controlplane.embedded_postgres.errors import EmbeddedPostgresError

SUPERUSER = "postgres"
DATABASE = "controlplane"
# Only names the socket. Said everywhere, since a person's PGPORT would be taken otherwise.
PORT = "5432"
SOCKET_NAME = f".s.PGSQL.{PORT}"

# For what root must keep outside a checkout that other accounts cannot enter. Not a temporary
# folder: whoever came first could put programs there for root to run.
OUTSIDE = Path("/var/lib/controlplane")

# The kernel's room for a socket's path, without the closing NUL.
SOCKET_PATH_BYTES = 103 if sys.platform == "darwin" else 107


@dataclass(frozen=True)
class Account:
    """The account a server runs as when we are root, which PostgreSQL refuses to run as."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True)
class Place:
    """The files of one server: everything under `home`, but for the socket when paths are long."""

    home: Path
    socket_dir: Path
    #: None: the server runs as ourselves.
    account: Account | None

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def log(self) -> Path:
        return self.home / "log"

    def url(self, database: str) -> str:
        folder = quote(str(self.socket_dir), safe="/")
        return f"postgresql://{SUPERUSER}@/{database}?host={folder}&port={PORT}"


def connection_url(var_dir: Path, *, database: str = DATABASE, name: str = "postgres") -> str:
    """Return the URL under which the server of `var_dir` can be reached once it runs."""
    return place_for(var_dir, name=name).url(database)


def place_for(var_dir: Path, *, name: str = "postgres") -> Place:
    """Return the place of the server called `name` that belongs to `var_dir`."""
    account = server_account() if os.geteuid() == 0 else None
    home = var_dir.absolute() / name
    if not can_reach(account, home):
        home = OUTSIDE / digest(home)
    return Place(home=home, socket_dir=socket_dir_for(home), account=account)


def server_account() -> Account:
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise EmbeddedPostgresError(
        "PostgreSQL will not run as root, and this machine has no account named "
        "'postgres' or 'nobody'; add one, run as another user, or set DATABASE_URL"
    )


def can_reach(account: Account | None, path: Path) -> bool:
    """Say whether the account may pass through every folder on the way to `path` that exists."""
    if account is None:
        return True
    folders = [folder for folder in path.parents if folder.exists()]
    return all(may_enter(account, folder.stat()) for folder in folders)


def may_enter(account: Account, found: os.stat_result) -> bool:
    if found.st_uid == account.uid:
        return bool(found.st_mode & stat.S_IXUSR)
    if found.st_gid == account.gid:
        return bool(found.st_mode & stat.S_IXGRP)
    return bool(found.st_mode & stat.S_IXOTH)


def socket_dir_for(home: Path) -> Path:
    inside = home / "socket"
    if len(os.fsencode(inside / SOCKET_NAME)) <= SOCKET_PATH_BYTES:
        return inside
    return Path(tempfile.gettempdir(), f"controlplane-{os.geteuid()}-{digest(home)}")


def digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]


def prepare(place: Place) -> None:
    """Make the folders of a place, closed to everyone but the server's account (and root)."""
    make_passable(place.home.parent)
    for folder in (place.home, place.socket_dir):
        own_folder(folder, place.account)


def make_passable(folder: Path) -> None:
    """Make missing folders so that the server's account can pass, whatever our umask says."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in missing:
        path.chmod(0o755)


def own_folder(folder: Path, account: Account | None) -> None:
    """Make one folder ours alone; refuse one that somebody else put in its place."""
    owner = account.uid if account else os.geteuid()
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (owner, os.geteuid()):
            raise EmbeddedPostgresError(
                f"{folder} belongs to another account; run as that account, "
                "remove it, or set DATABASE_URL"
            ) from None
    if account:
        os.chown(folder, account.uid, account.gid)
    folder.chmod(0o700)
