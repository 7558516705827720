"""A database that no waiting would mend is refused in one sentence; one that is away is not."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

from controlplane import preflight
from controlplane.preflight import UnusableDatabase, require_database

pytestmark = pytest.mark.django_db

Use = Callable[..., BaseDatabaseWrapper]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes the check look through a connection of its own, with other parameters."""
    made: list[BaseDatabaseWrapper] = []

    def use(**parameters: Any) -> BaseDatabaseWrapper:
        other = connection.copy()
        other.settings_dict.update(parameters)
        monkeypatch.setattr(preflight, "connection", other)
        made.append(other)
        return other

    yield use
    for other in made:
        other.close()


def refusal() -> str:
    with pytest.raises(UnusableDatabase) as refused:
        require_database()
    sentence = str(refused.value)
    assert "\n" not in sentence
    return sentence


def test_the_database_of_the_tests_will_do() -> None:
    require_database()


def test_another_engine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight, "connection", SimpleNamespace(vendor="sqlite"))
    assert refusal().startswith("The database must be PostgreSQL")


def test_a_missing_database_is_refused_by_name(use: Use) -> None:
    use(NAME="no_such_database")
    assert refusal() == "There is no database 'no_such_database' on the server."


def test_a_server_that_is_away_is_no_reason_to_give_up(use: Use) -> None:
    use(HOST="127.0.0.1", PORT="1", OPTIONS={})
    with pytest.raises(OperationalError):
        require_database()


def test_a_refused_login_is_no_missing_database(use: Use) -> None:
    use(USER="nobody_of_this_name")
    with pytest.raises(OperationalError):
        require_database()


def test_an_old_server_is_refused(use: Use) -> None:
    use().features.minimum_database_version = (99,)
    assert refusal().startswith("PostgreSQL 99 or later is required")


def test_a_database_that_takes_no_writes_is_refused(use: Use) -> None:
    use().settings_dict["OPTIONS"]["options"] = "-c default_transaction_read_only=on"
    assert "read-only" in refusal()


def test_migrations_that_wait_are_named(db: None) -> None:
    last = max(
        name for app, name in MigrationRecorder(connection).applied_migrations() if app == "jobs"
    )
    MigrationRecorder(connection).record_unapplied("jobs", last)
    assert f"jobs.{last}" in refusal()
    assert "migrate" in refusal()


def test_a_database_of_a_newer_version_is_refused(db: None) -> None:
    MigrationRecorder(connection).record_applied("jobs", "9999_later")
    assert "jobs.9999_later" in refusal()


def test_other_apps_migrations_are_their_own_affair(db: None) -> None:
    MigrationRecorder(connection).record_applied("somebody_elses", "9999_later")
    require_database()
