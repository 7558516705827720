"""Events as rows: what Django believes of the table is what the migration made."""

from django.db import connection

from audit.models import AuditEvent


def test_the_table_has_the_columns_of_the_model(db: None) -> None:
    table = AuditEvent._meta.db_table
    with connection.cursor() as cursor:
        found = connection.introspection.get_table_description(cursor, table)
    nullable = {column.name: column.null_ok for column in found}
    expected = {field.column: field.null for field in AuditEvent._meta.concrete_fields}
    assert nullable == expected


def test_the_table_has_the_indexes_of_the_model(db: None) -> None:
    table = AuditEvent._meta.db_table
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, table)
        cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = %s", [table])
        definitions = dict(cursor.fetchall())
    for index in AuditEvent._meta.indexes:
        assert found[index.name]["columns"] == index.fields
        assert ("WHERE" in definitions[index.name]) == (index.condition is not None)
    assert len(definitions) == len(AuditEvent._meta.indexes) + 1
    routine = definitions["audit_by_type"]
    assert all(name in routine for name in ("JOB_CREATED", "JOB_STARTED", "JOB_SUCCEEDED"))


def test_the_database_gives_id_time_and_defaults(db: None) -> None:
    event = AuditEvent.objects.create(event_type="JOB_CREATED", target_type="job")
    stored = AuditEvent.objects.get(pk=event.pk)
    assert stored.occurred_at is not None
    assert (stored.metadata, stored.ip_address, stored.user_agent) == ({}, None, "")
    assert stored.facts == []


def test_facts_are_the_pairs_of_the_metadata() -> None:
    event = AuditEvent(event_type="X", target_type="job", target_id=3, metadata={"items": 1})
    assert event.facts == [("items", 1)]
    assert str(event) == "X job 3"
