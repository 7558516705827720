"""Make a data folder and write its configuration."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from controlplane.embedded_postgres.binaries import Binaries
from controlplane.embedded_postgres.errors import EmbeddedPostgresError
from controlplane.embedded_postgres.place import PORT, SUPERUSER, Place

# Three executors, a web process and a few shells; idle connections are cheap.
MAX_CONNECTIONS = 200

# A test cluster may lose everything in a power cut, and is several times faster for it.
CARELESS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def made_by(place: Place) -> int | None:
    """Return the major version that made the data folder, or None when there is no folder."""
    try:
        return int((place.data / "PG_VERSION").read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        return None


def create(place: Place, binaries: Binaries) -> None:
    """Make the data folder in one step: a killed attempt leaves nothing that looks finished."""
    unfinished = place.home / "data.new"
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.rmtree(place.data, ignore_errors=True)
    command = [binaries.program("initdb"), "-D", str(unfinished), "-U", SUPERUSER]
    made = run_as(place, [*command, "--encoding=UTF8", "--auth=trust", *locale(binaries.major)])
    if made.returncode != 0:
        reason = (made.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise EmbeddedPostgresError(f"The embedded database could not be made: {reason}")
    unfinished.rename(place.data)


def locale(major: int) -> list[str]:
    """Return options that give one sort order on every system, and checksums, where known."""
    if major >= 17:
        builtin = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        return ["--locale=C", *builtin, "--data-checksums"]
    return ["--locale=C.UTF-8", "--data-checksums"]


def configure(place: Place, *, durable: bool) -> None:
    """Write postgresql.conf afresh: the place may have moved since the last start."""
    settings = {
        "listen_addresses": "",
        "port": PORT,
        "unix_socket_directories": f'"{place.socket_dir}"',
        "unix_socket_permissions": "0700",
        "max_connections": str(MAX_CONNECTIONS),
        "shared_buffers": "256MB",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "log_line_prefix": "%m ",
        "log_checkpoints": "off",
        **({} if durable else CARELESS),
    }
    lines = ["# Written at every start; use ALTER SYSTEM for settings of your own.\n"]
    lines += [f"{name} = '{value.replace("'", "''")}'\n" for name, value in settings.items()]
    target = place.data / "postgresql.conf"
    target.write_text("".join(lines), encoding="utf-8")
    give_to_account(place, target)


def give_to_account(place: Place, path: Path) -> None:
    if place.account:
        os.chown(path, place.account.uid, place.account.gid)


def run_as(place: Place, command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run one of PostgreSQL's programs as the server's account, away from our session."""
    options: dict[str, Any] = {}
    if place.account:
        options = {"user": place.account.uid, "group": place.account.gid, "extra_groups": []}
    environment = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
    try:
        return subprocess.run(
            command,
            cwd="/",
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
            **options,
        )
    except PermissionError as error:
        who = place.account.name if place.account else "ourselves"
        raise EmbeddedPostgresError(
            f"The embedded database cannot be run as {who}: {error}"
        ) from error
