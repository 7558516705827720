"""Forwards from nothing, backwards to nothing, forwards again to the very same schema."""

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.models import CheckConstraint, UniqueConstraint

#: The order in which they can be taken away.
APPS = ("scheduling", "jobs", "audit", "accounts")

pytestmark = pytest.mark.usefixtures("empty_database")

SCHEMA = {
    "columns": """
        SELECT table_name || '.' || column_name, data_type, is_nullable, column_default
        FROM information_schema.columns WHERE table_schema = 'public'
    """,
    "constraints": """
        SELECT conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    """,
    "indexes": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "triggers": """
        SELECT tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid)
        FROM pg_trigger WHERE NOT tgisinternal
    """,
    "storage": """
        SELECT relname, reloptions::text FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND reloptions IS NOT NULL
    """,
    "functions": """
        SELECT proname, pg_get_functiondef(oid) FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'
    """,
}

type Schema = dict[str, set[tuple[str, ...]]]


def schema() -> Schema:
    with connection.cursor() as cursor:
        found: Schema = {}
        for kind, query in SCHEMA.items():
            cursor.execute(query)
            found[kind] = set(cursor.fetchall())
        return found


def ours(found: Schema) -> set[str]:
    names = {row[0] for rows in found.values() for row in rows}
    return {name for name in names if name.startswith(tuple(f"{app}_" for app in APPS))}


def test_forwards_backwards_and_forwards_again() -> None:
    call_command("migrate", verbosity=0)
    first = schema()
    assert ours(first)

    for app in APPS:
        call_command("migrate", app, "zero", verbosity=0)
    assert ours(schema()) == set()

    call_command("migrate", verbosity=0)
    second = schema()
    assert {kind: second[kind] ^ first[kind] for kind in SCHEMA} == {kind: set() for kind in SCHEMA}


def test_migrating_twice_changes_nothing() -> None:
    call_command("migrate", verbosity=0)
    before = schema()
    call_command("migrate", verbosity=0)
    assert schema() == before


def test_models_and_migrations_agree(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        call_command("makemigrations", "--check", "--dry-run", verbosity=1)
    except SystemExit:
        pytest.fail(f"migrations are missing:\n{capsys.readouterr().out}")


def test_every_migration_of_ours_can_be_undone() -> None:
    loader = MigrationLoader(connection)
    stuck = [
        f"{key}: {operation}"
        for key, migration in loader.disk_migrations.items()
        if key[0] in APPS
        for operation in migration.operations
        if not operation.reversible
    ]
    assert stuck == []


def test_every_declared_constraint_and_index_is_in_the_database() -> None:
    call_command("migrate", verbosity=0)
    found = schema()
    there = {
        row[0].rpartition(".")[2] for kind in ("constraints", "indexes") for row in found[kind]
    }
    declared = {
        item.name
        for app in APPS
        for model in apps.get_app_config(app).get_models()
        for item in (*model._meta.constraints, *model._meta.indexes)
        if isinstance(item, CheckConstraint | UniqueConstraint) or item.name
    }
    assert sorted(declared - there) == []


def test_the_audit_table_is_guarded() -> None:
    call_command("migrate", verbosity=0)
    guards = {name: text for name, text in schema()["triggers"] if name.startswith("audit_")}
    told = " ".join(text for name, text in guards.items() if name.startswith("audit_auditevent."))
    assert "UPDATE" in told
    assert "DELETE" in told
    assert "TRUNCATE" in told


def test_the_hot_tables_are_stored_as_measured() -> None:
    call_command("migrate", verbosity=0)
    storage = {name: options for name, options in schema()["storage"]}  # noqa: C416 - for mypy
    assert "toast_tuple_target" in storage["jobs_job"]
    assert "fillfactor" in storage["jobs_jobexecution"]
    assert "autovacuum_vacuum_scale_factor" in storage["jobs_job"]
    assert "autovacuum_vacuum_scale_factor" in storage["jobs_jobexecution"]
