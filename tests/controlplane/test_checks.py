"""System checks: each fault of a deployment has an id that stays."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from django.core.checks import run_checks
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from controlplane import checks
from tests.conftest import StartCommand


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch, db: None) -> Iterator[BaseDatabaseWrapper]:
    """A connection of its own that the checks look through."""
    other = connection.copy()
    monkeypatch.setattr(checks, "connection", other)
    yield other
    other.close()


def ids(*, databases: list[str] | None = None) -> set[str | None]:
    return {message.id for message in run_checks(databases=databases)} & {
        f"controlplane.E00{number}" for number in range(10)
    }


@pytest.mark.django_db
def test_a_right_deployment_meets_no_error() -> None:
    assert ids(databases=["default"]) == set()


@pytest.mark.parametrize("vendor", ["sqlite", "mysql", "unknown"])
def test_another_engine_is_e001(vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "connection", SimpleNamespace(vendor=vendor, alias="default"))
    assert ids(databases=["default"]) == {"controlplane.E001"}


def test_an_old_server_is_e002(other: BaseDatabaseWrapper) -> None:
    other.features.minimum_database_version = (99,)
    assert ids(databases=["default"]) == {"controlplane.E002"}


def test_a_silent_server_is_e003_in_one_line(other: BaseDatabaseWrapper) -> None:
    other.settings_dict |= {"HOST": "127.0.0.1", "PORT": "1", "OPTIONS": {}}
    (message,) = checks.check_server(None, databases=["default"])
    assert (message.id, "\n" in message.msg) == ("controlplane.E003", False)


def test_without_a_named_database_none_is_asked(other: BaseDatabaseWrapper) -> None:
    other.settings_dict |= {"HOST": "127.0.0.1", "PORT": "1", "OPTIONS": {}}
    assert ids() == set()


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("url", ["mysql://a@b/c", "sqlite:////no/such/file", "nonsense"])
def test_a_database_of_another_kind_stops_a_command_with_the_check(
    start_command: StartCommand, url: str
) -> None:
    command = start_command("runwatchdog", environment={"DATABASE_URL": url})
    assert command.wait() == 1
    assert "controlplane.E001" in command.log()
    assert "Traceback" not in command.log()
