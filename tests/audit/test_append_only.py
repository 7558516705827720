"""The database itself refuses to change the audit trail, wherever one gets hold of it."""

from collections.abc import Iterator

import pytest
from django.db import IntegrityError, connection, transaction

from audit import partitions
from audit.models import AuditEvent

REFUSED = "append-only"

CHANGES = (
    "UPDATE {table} SET actor_label = 'somebody else'",
    "UPDATE {table} SET occurred_at = occurred_at - interval '1 year'",
    "DELETE FROM {table}",
    "TRUNCATE {table}",
)


@pytest.fixture
def event(db: None) -> AuditEvent:
    return AuditEvent.objects.create(event_type="JOB_CREATED", target_type="job", target_id=1)


def tables() -> Iterator[str]:
    """The parent and the partitions of now and of a month made later."""
    yield partitions.TABLE
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT DISTINCT tableoid::regclass::text FROM {partitions.TABLE}")
        yield from [name for (name,) in cursor.fetchall()]


def refused(statement: str) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    except IntegrityError as error:
        return REFUSED in str(error)
    return False


@pytest.mark.parametrize("change", CHANGES)
def test_rows_cannot_be_changed(event: AuditEvent, change: str) -> None:
    names = list(tables())
    assert len(names) == 2
    for name in names:
        assert refused(change.format(table=name)), name


@pytest.mark.parametrize("change", CHANGES)
def test_rows_of_a_partition_made_later_cannot_be_changed(db: None, change: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {partitions.TABLE} (event_type, target_type, occurred_at) "
            "VALUES ('JOB_CREATED', 'job', '2001-05-05'), ('JOB_CREATED', 'job', '2001-06-05')"
        )
    partitions.ensure_partitions()
    for name in list(tables()):
        assert refused(change.format(table=name)), name


@pytest.mark.parametrize("change", CHANGES)
def test_rows_of_the_default_partition_cannot_be_changed(db: None, change: str) -> None:
    with connection.cursor() as cursor:
        for _ in range(2):  # before and after it was made anew
            cursor.execute(
                f"INSERT INTO {partitions.TABLE} (event_type, target_type, occurred_at) "
                "VALUES ('JOB_CREATED', 'job', '2001-05-05') RETURNING tableoid::regclass::text"
            )
            if cursor.fetchone()[0] == partitions.DEFAULT_PARTITION:
                assert refused(change.format(table=partitions.DEFAULT_PARTITION))
            partitions.ensure_partitions()
        cursor.execute(
            f"INSERT INTO {partitions.TABLE} (event_type, target_type, occurred_at) "
            "VALUES ('JOB_CREATED', 'job', '1999-05-05')"
        )
    assert refused(change.format(table=partitions.DEFAULT_PARTITION))


def test_models_cannot_change_rows_either(event: AuditEvent) -> None:
    with pytest.raises(IntegrityError, match=REFUSED), transaction.atomic():
        AuditEvent.objects.update(actor_label="somebody else")
    with pytest.raises(IntegrityError, match=REFUSED), transaction.atomic():
        event.delete()
    assert AuditEvent.objects.get().actor_label == ""


def test_the_way_out_of_tests_lets_nothing_else_pass(event: AuditEvent) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL controlplane.audit_reset = 'on'")
    for change in CHANGES[:3]:
        assert refused(change.format(table=partitions.TABLE))


def test_the_way_out_is_shut_outside_of_test_databases(event: AuditEvent) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL controlplane.audit_reset = 'on'")
        cursor.execute("SELECT pg_get_functiondef('audit_refuse_change'::regproc)")
        definition: str = cursor.fetchone()[0]
        assert "current_database()" in definition
        cursor.execute(definition.replace("current_database()", "'controlplane'"))
    assert refused(f"TRUNCATE {partitions.TABLE}")
