"""The database of an installation: started, reached, brought to this version's tables."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management import call_command
from django.db import DatabaseError, connection, connections
from django.db.migrations.executor import MigrationExecutor

from controlplane import embedded_postgres, local_setup
from controlplane.embedded_postgres import EmbeddedPostgresError, Server
from controlplane.up.errors import UpError


@contextmanager
def running(var_dir: Path) -> Iterator[Server | None]:
    """Keep the embedded database running; None stands for a database that others look after.

    Raises UpError when it cannot be had.
    """
    if not local_setup.uses_embedded_database(var_dir):
        yield None
        return
    try:
        server = embedded_postgres.ensure_running(var_dir)
        server.ensure_database()
    except EmbeddedPostgresError as error:
        raise UpError(str(error)) from error
    with server:
        yield server


def describe() -> str:
    """Say which server answers. Raises UpError when none does."""
    try:
        major, *_ = connection.get_database_version()
    except DatabaseError as error:
        reason = str(error).strip().splitlines()[0]
        raise UpError(f"The database of DATABASE_URL does not answer: {reason}") from error
    return f"PostgreSQL {major}"


def migrate() -> int:
    """Bring the tables to this version and return how many migrations that took."""
    executor = MigrationExecutor(connection)
    count = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if count:
        call_command("migrate", verbosity=0, interactive=False)
    return count


def leave() -> None:
    """Close our own connections: while it only looks after others, `up` needs none."""
    connections.close_all()
