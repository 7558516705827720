"""Empties the tables after a test that committed: quicker than a flush, and let in by audit."""

from django.db import connection, transaction
from django.test import TransactionTestCase

#: Made by the migrations, the same for every test.
KEPT = frozenset(
    {
        "auth_group",
        "auth_group_permissions",
        "auth_permission",
        "django_content_type",
        "django_migrations",
    }
)

#: The audit trail's guard knows this setting, in databases whose names begin with "test_" only.
LET_IN = "SET LOCAL controlplane.audit_reset = 'on'"


def empty_tables() -> None:
    """Truncate what holds rows. Fails, not waits, when somebody still works on them."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT relname FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
            AND NOT relispartition
            """
        )
        tables = sorted({name for (name,) in cursor.fetchall()} - KEPT)
        probes = " UNION ALL ".join(
            f"SELECT '{table}' WHERE EXISTS (SELECT FROM \"{table}\")" for table in tables
        )
        cursor.execute(probes)
        filled = ", ".join(f'"{name}"' for (name,) in cursor.fetchall())
        if filled:
            cursor.execute(f"SET LOCAL lock_timeout = '20s'; {LET_IN}; TRUNCATE {filled} CASCADE")


def others() -> list[str]:
    """Whoever else is connected to the test database, as one line each."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT pid || ' ' || application_name || ' ' || coalesce(state, '') || ': ' || query
            FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        )
        return [line for (line,) in cursor.fetchall()]


def end_others() -> None:
    """Disconnect them, so that the database can be dropped."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        )


def replace_flush() -> None:
    """Make every transactional test end with `empty_tables`."""
    TransactionTestCase._fixture_teardown = _teardown  # type: ignore[attr-defined]


def _teardown(_case: TransactionTestCase) -> None:
    empty_tables()
