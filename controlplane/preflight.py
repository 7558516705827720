"""Whether the database is fit for work: asked by each long-lived process as soon as it answers."""

from __future__ import annotations

from typing import Any

import psycopg
from django.db import NotSupportedError, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

#: Apps whose tables the processes use. Migrations that other apps lack stop nobody's jobs.
OURS = frozenset({"accounts", "audit", "jobs", "scheduling"})

WRONG_ENGINE = (
    "The database must be PostgreSQL: DATABASE_URL must begin with postgresql://, "
    "or the engine of DATABASES['default'] be django.db.backends.postgresql."
)

#: A database that is there on every server; asked whether ours exists.
MAINTENANCE_DATABASE = "postgres"


class UnusableDatabase(Exception):
    """Waiting would not help; the message says in one sentence what is wrong."""


def require_database() -> None:
    """Raise UnusableDatabase for a database of the wrong kind, missing, too old, read-only or at
    another migration.

    One that is merely away raises what Django raises then: OperationalError or InterfaceError.
    """
    if connection.vendor != "postgresql":
        raise UnusableDatabase(WRONG_ENGINE)
    try:
        connection.ensure_connection()
        connection.check_database_version_supported()
    except NotSupportedError as error:
        raise UnusableDatabase(str(error).strip()) from error
    except OperationalError as error:
        if _is_missing():
            name = connection.settings_dict["NAME"]
            raise UnusableDatabase(f"There is no database {name!r} on the server.") from error
        raise
    _require_writable()
    _require_migrations()


def _is_missing() -> bool:
    """Whether the server says that it has no such database; False when it says nothing.

    The refusal itself carries no code, and its text comes in the server's language.
    """
    parameters: dict[str, Any] = connection.get_connection_params()
    for ours in ("cursor_factory", "context"):
        parameters.pop(ours, None)
    name = parameters.get("dbname") or connection.settings_dict["NAME"]
    parameters["dbname"] = MAINTENANCE_DATABASE
    try:
        with psycopg.connect(**parameters) as link:
            found = link.execute("SELECT FROM pg_database WHERE datname = %s", [name])
            return found.rowcount == 0
    except psycopg.Error:
        return False


def _require_writable() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_read_only")
        (read_only,) = cursor.fetchone()
    if read_only == "on":
        raise UnusableDatabase("The database is read-only: a standby, or set so for this user.")


def _require_migrations() -> None:
    executor = MigrationExecutor(connection)
    on_disk = executor.loader.disk_migrations or {}
    known = {*on_disk, *(old for migration in on_disk.values() for old in migration.replaces)}
    applied = executor.loader.applied_migrations or {}
    newer = sorted(key for key in applied if key[0] in OURS and key not in known)
    if newer:
        raise UnusableDatabase(
            f"The database has the migration {'.'.join(newer[0])}, which this version does not "
            "know: run the version that it belongs to."
        )
    leaves = [key for key in executor.loader.graph.leaf_nodes() if key[0] in OURS]
    lacking = [migration for migration, _ in executor.migration_plan(leaves)]
    if lacking:
        raise UnusableDatabase(
            f"The database lacks migrations, from {lacking[0].app_label}.{lacking[0].name} on "
            f"({len(lacking)} in all): run manage.py migrate."
        )
