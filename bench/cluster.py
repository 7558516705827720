"""The benchmark's own PostgreSQL: durable, sized for the machine, apart from everybody's data."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from controlplane import embedded_postgres
from controlplane.embedded_postgres import Server

NAME = "bench-postgres"
DATABASE = "bench"
#: Never less durable than production; the rest is what a person would set on such a machine.
SETTINGS = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "wal_level": "replica",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "15min",
    "maintenance_work_mem": "512MB",
    "work_mem": "16MB",
    "random_page_cost": "1.1",
    "shared_preload_libraries": "pg_stat_statements",
}
#: Settings that are printed with the results.
SHOWN = (
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "shared_buffers",
    "max_wal_size",
    "wal_level",
    "data_checksums",
    "io_method",
)

type Connection = psycopg.Connection[tuple[Any, ...]]


@contextmanager
def running(var_dir: Path) -> Iterator[Server]:
    """Keep the cluster running with its settings and a fresh database; the database goes after."""
    server = embedded_postgres.ensure_running(var_dir, name=NAME)
    if _configure(server):
        server.release()
        server = embedded_postgres.ensure_running(var_dir, name=NAME)
    with server:
        _recreate(server)
        try:
            yield server
        finally:
            _drop(server)


def connect(server: Server, database: str = DATABASE) -> Connection:
    """A connection for the driver itself, autocommit."""
    return psycopg.connect(server.dsn(database), autocommit=True, application_name="bench")


def settings_of(connection: Connection) -> dict[str, str]:
    """The settings in force that a reader of the figures wants to know."""
    found = connection.execute(
        "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY(%s)", [list(SHOWN)]
    )
    return {name: str(value) for name, value in found.fetchall()}


def _wanted() -> dict[str, str]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    sized = {
        "shared_buffers": f"{min(2048, memory // 4)}MB",
        "effective_cache_size": f"{memory // 2}MB",
    }
    return SETTINGS | sized


def _configure(server: Server) -> bool:
    """Write the settings; return whether the server must start again to take them."""
    wanted = _wanted()
    with connect(server, "postgres") as connection:
        written = connection.execute(
            "SELECT name, setting FROM pg_file_settings WHERE sourcefile LIKE '%auto.conf'"
        )
        if dict(written.fetchall()) == wanted:
            return False
        for name, value in wanted.items():
            statement = sql.SQL("ALTER SYSTEM SET {} = {}")
            connection.execute(statement.format(sql.Identifier(name), sql.Literal(value)))
    return True


def _recreate(server: Server) -> None:
    _drop(server)
    server.ensure_database(DATABASE)
    with connect(server) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")


def _drop(server: Server) -> None:
    with connect(server, "postgres") as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
