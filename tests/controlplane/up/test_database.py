"""The database of an installation is described, migrated, and left alone while others run."""

from pathlib import Path

import pytest
from django.db import OperationalError, connection

from controlplane import embedded_postgres, local_setup
from controlplane.embedded_postgres import EmbeddedPostgresError
from controlplane.up import database
from controlplane.up.errors import UpError


@pytest.mark.django_db
def test_it_says_which_version_answers() -> None:
    assert database.describe().startswith("PostgreSQL 1")


@pytest.mark.django_db
def test_nothing_is_left_to_migrate() -> None:
    assert database.migrate() == 0


def test_a_database_of_somebody_else_is_neither_started_nor_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_setup, "uses_embedded_database", lambda var_dir: False)
    with database.running(tmp_path) as server:
        assert server is None
    assert not list(tmp_path.iterdir())


def test_what_keeps_the_embedded_one_down_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(var_dir: Path) -> None:
        raise EmbeddedPostgresError("no room")

    monkeypatch.setattr(local_setup, "uses_embedded_database", lambda var_dir: True)
    monkeypatch.setattr(embedded_postgres, "ensure_running", fail)
    with pytest.raises(UpError, match="no room"), database.running(tmp_path):
        pass


def test_a_silent_database_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OperationalError("connection refused\nIs the server running?")

    monkeypatch.setattr(connection, "get_database_version", fail)
    with pytest.raises(UpError, match=r"does not answer: connection refused$"):
        database.describe()
