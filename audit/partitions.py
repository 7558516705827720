"""Monthly partitions of the audit table, so that a month can be dropped as a whole.

They are made ahead of time. Rows of a month without a partition land in the default partition;
the next upkeep gives them theirs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

from django.db import DEFAULT_DB_ALIAS, OperationalError, connections, transaction
from django.db.backends.utils import CursorWrapper

TABLE = "audit_auditevent"
DEFAULT_PARTITION = f"{TABLE}_default"

#: Advisory lock that lets one process at a time do the upkeep (any number nobody else uses).
_LOCK_KEY = 0x0CB_A0D17
#: Upkeep is never urgent, so it gives way: others queue behind whoever waits for a table lock.
_LOCK_TIMEOUT = "2s"
_LOCK_NOT_AVAILABLE = "55P03"


def ensure_partitions(months_ahead: int = 2, *, using: str = DEFAULT_DB_ALIAS) -> list[str]:
    """Make the missing partitions of this month (UTC, the database's clock) and the next ones.

    Returns the names of those made. Cheap when nothing is to do, safe in several processes at once.
    A table busy for long means none now: the default partition takes the rows until the next call.
    """
    with connections[using].cursor() as cursor:
        if not _missing(cursor, months_ahead):
            return []
    try:
        with _upkeep(using) as cursor:
            months = _missing(cursor, months_ahead)
            if _default_holds_rows(cursor):
                _rebuild_default(cursor, months)
            else:
                for month in months:
                    _attach(cursor, month)
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
            return []
        raise
    return [partition_name(month) for month in months]


def partition_name(month: date) -> str:
    return f"{TABLE}_y{month:%Y}m{month:%m}"


def guard_against_truncate(cursor: CursorWrapper, table: str) -> None:
    """Unlike row triggers, a TRUNCATE trigger is not passed on to partitions."""
    cursor.execute(
        f'CREATE TRIGGER audit_refuse_truncate BEFORE TRUNCATE ON "{table}" '
        "FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change()"
    )


@contextmanager
def _upkeep(using: str) -> Iterator[CursorWrapper]:
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT set_config('lock_timeout', %s, true)",
            [_LOCK_TIMEOUT],
        )
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK_KEY])
        yield cursor
        cursor.execute("SELECT set_config('lock_timeout', '0', true)")


def _missing(cursor: CursorWrapper, months_ahead: int) -> list[date]:
    """Months that lack a partition: the near ones, and those of rows in the default partition."""
    cursor.execute(
        f"""
        WITH wanted (month) AS (
            SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => n)
            FROM generate_series(0, %s) AS n
            UNION
            SELECT date_trunc('month', occurred_at AT TIME ZONE 'UTC') FROM {DEFAULT_PARTITION}
        )
        SELECT month FROM wanted
        WHERE to_regclass('{TABLE}_' || to_char(month, '"y"YYYY"m"MM')) IS NULL
        ORDER BY month
        """,  # noqa: S608 - our own constants
        [months_ahead],
    )
    return [month.date() for (month,) in cursor.fetchall()]


def _default_holds_rows(cursor: CursorWrapper) -> bool:
    cursor.execute(f"SELECT EXISTS (SELECT FROM {DEFAULT_PARTITION})")  # noqa: S608
    return bool(cursor.fetchone()[0])


def _attach(cursor: CursorWrapper, month: date) -> None:
    """ATTACH lets inserts go on meanwhile, where CREATE TABLE ... PARTITION OF would stop them."""
    name = partition_name(month)
    following = date(month.year + month.month // 12, month.month % 12 + 1, 1)
    cursor.execute(f"CREATE TABLE {name} (LIKE {TABLE} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)")
    cursor.execute(
        f"ALTER TABLE {TABLE} ATTACH PARTITION {name} "
        f"FOR VALUES FROM ('{month} 00:00:00+00') TO ('{following} 00:00:00+00')"
    )
    guard_against_truncate(cursor, name)


def _rebuild_default(cursor: CursorWrapper, months: list[date]) -> None:
    """Rows cannot be moved by DELETE, which is refused: their old table is replaced instead."""
    retired = f"{DEFAULT_PARTITION}_retired"
    cursor.execute(f"ALTER TABLE {TABLE} DETACH PARTITION {DEFAULT_PARTITION}")
    cursor.execute(f"ALTER TABLE {DEFAULT_PARTITION} RENAME TO {retired}")
    for month in months:
        _attach(cursor, month)
    create_default(cursor)
    cursor.execute(f"INSERT INTO {TABLE} SELECT * FROM {retired}")  # noqa: S608
    cursor.execute(f"DROP TABLE {retired}")


def create_default(cursor: CursorWrapper) -> None:
    """Make the partition that takes what no month takes."""
    cursor.execute(f"CREATE TABLE {DEFAULT_PARTITION} PARTITION OF {TABLE} DEFAULT")
    guard_against_truncate(cursor, DEFAULT_PARTITION)
