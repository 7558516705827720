"""Share one server among processes: the first starts it, the last to leave stops it.

`lock` is held while somebody starts or stops. Every user of the server holds `users` in shared
mode; the kernel lets go of it at death, so a killed process is never counted.
"""

import fcntl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from controlplane.embedded_postgres import binaries as programs
from controlplane.embedded_postgres import cluster, postmaster
from controlplane.embedded_postgres import place as places
from controlplane.embedded_postgres.binaries import Binaries
from controlplane.embedded_postgres.errors import EmbeddedPostgresError
from controlplane.embedded_postgres.place import Place

# Recovery after a crash reads back the log of the last minutes; on a slow disk that takes a while.
START_SECONDS = 60

LOG_BYTES = 5_000_000


class Server:
    """A running server and this process's claim on it; use as a context manager or `release()`."""

    def __init__(self, place: Place, binaries: Binaries, users: IO[str], *, durable: bool) -> None:
        self.user = places.SUPERUSER
        self.socket_dir = place.socket_dir
        self._place = place
        self._binaries = binaries
        self._users = users
        self._durable = durable

    def dsn(self, database: str = places.DATABASE) -> str:
        """Return libpq's connection string for one database."""
        return f"host='{self.socket_dir}' port={places.PORT} user={self.user} dbname={database}"

    def url(self, database: str = places.DATABASE) -> str:
        """Return the same as a URL, fit for DATABASE_URL."""
        return self._place.url(database)

    def ensure_database(self, name: str = places.DATABASE) -> None:
        """Create a database unless it is there."""
        if name not in self._psql("SELECT datname FROM pg_database").splitlines():
            self._psql(f'CREATE DATABASE "{name}"')

    def pid(self) -> int | None:
        """Return the server's process id, or None when it has died."""
        return postmaster.living_pid(self._place.data)

    def revive(self) -> bool:
        """Start the server again if it has died, and say whether it had."""
        if self.pid() is not None:
            return False
        with exclusive(self._place):
            start(self._place, self._binaries, durable=self._durable)
        return True

    def release(self) -> None:
        """Give up the claim; if it was the last one, stop the server. Does nothing twice."""
        if self._users.closed:
            return
        with exclusive(self._place):
            self._users.close()
            stop_if_last(self._place)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def _psql(self, statement: str) -> str:
        options = ["-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-c", statement]
        told = subprocess.run(
            [self._binaries.program("psql"), *options, self.url("postgres")],
            capture_output=True,
            text=True,
            check=False,
        )
        if told.returncode != 0:
            raise EmbeddedPostgresError(f"The embedded database refused: {told.stderr.strip()}")
        return told.stdout.strip()


def ensure_running(var_dir: Path, *, name: str = "postgres", durable: bool = True) -> Server:
    """Return a claim on the server of `var_dir`, starting (and first making) it if need be.

    `durable=False` is for data that may be lost with the machine's power: tests.
    Raises EmbeddedPostgresError with one line to show.
    """
    place = places.place_for(var_dir, name=name)
    try:
        places.prepare(place)
        with exclusive(place):
            users = (place.home / "users").open("w", encoding="ascii")
            try:
                fcntl.flock(users, fcntl.LOCK_SH)
                binaries = programs.find(place.account, major=cluster.made_by(place))
                if not postmaster.answers(place, binaries):
                    start(place, binaries, durable=durable)
            except BaseException:
                users.close()
                raise
    except OSError as error:
        raise EmbeddedPostgresError(f"The embedded database cannot be used: {error}") from error
    return Server(place, binaries, users, durable=durable)


def start(place: Place, binaries: Binaries, *, durable: bool) -> None:
    """Start a server, or wait for one that is on its way up. The caller holds `lock`."""
    if postmaster.living_pid(place.data) is None:
        if cluster.made_by(place) is None:
            cluster.create(place, binaries)
        postmaster.remove_remains(place)
        cluster.configure(place, durable=durable)
        if place.log.exists() and place.log.stat().st_size > LOG_BYTES:
            place.log.replace(place.log.with_suffix(".old"))
        command = [binaries.program("pg_ctl"), "start", "-s", "-D", str(place.data)]
        command += ["-l", str(place.log), "-w", "-t", str(START_SECONDS)]
        cluster.run_as(place, command)
    postmaster.wait_until_it_answers(place, binaries, START_SECONDS)


def stop_if_unused(var_dir: Path, *, name: str = "postgres") -> None:
    """Stop a server that nobody claims any more, as after the death of its last user."""
    place = places.place_for(var_dir, name=name)
    if place.home.exists():
        with exclusive(place):
            stop_if_last(place)


def stop_if_last(place: Place) -> None:
    with (place.home / "users").open("w", encoding="ascii") as users:
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        postmaster.end(place)


@contextmanager
def exclusive(place: Place) -> Iterator[None]:
    """Hold `lock`, so that of all processes and threads one starts or stops."""
    with (place.home / "lock").open("w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
