"""manage.py: tests go to pytest before settings load, the rest to Django with a database."""

import os
from pathlib import Path
from typing import Self

import pytest

from controlplane import embedded_postgres, entry, local_setup, test_command

URL = "postgresql://postgres@/controlplane?host=/nowhere"


class PretendServer:
    def __init__(self, said: list[str]) -> None:
        self.said = said

    def __enter__(self) -> Self:
        self.said.append("started")
        return self

    def __exit__(self, *details: object) -> None:
        self.said.append("left")

    def ensure_database(self) -> None:
        self.said.append("database")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happened, in order, on a machine where the embedded database is the one in use."""
    said: list[str] = []
    monkeypatch.setenv("DATABASE_URL", URL)
    monkeypatch.setattr(embedded_postgres, "connection_url", lambda var_dir: URL)
    monkeypatch.setattr(
        entry, "execute_from_command_line", lambda argv: said.append(" ".join(argv[1:]))
    )
    monkeypatch.setattr(embedded_postgres, "ensure_running", lambda var_dir: PretendServer(said))
    return said


def test_a_command_runs_with_the_database_up(said: list[str]) -> None:
    entry.main(["manage.py", "migrate"])
    assert said == ["started", "database", "migrate", "left"]


def test_a_command_without_need_starts_nothing(said: list[str]) -> None:
    entry.main(["manage.py", "check"])
    assert said == ["check"]


def test_a_database_of_ones_own_is_left_alone(
    said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://elsewhere/db")
    entry.main(["manage.py", "migrate"])
    assert said == ["migrate"]


def test_a_bare_machine_gets_its_environment(
    said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_setup, "is_wanted", lambda arguments: True)
    monkeypatch.setattr(local_setup, "local_environment", lambda: {"PROOF_OF_SET_UP": "yes"})
    monkeypatch.setattr(local_setup, "apply", lambda given: said.append(str(given)))
    entry.main(["manage.py", "check"])
    assert said == ["{'PROOF_OF_SET_UP': 'yes'}", "check"]


def test_tests_go_to_pytest(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE")
    monkeypatch.setattr(test_command, "main", lambda arguments: 3 if arguments == ["-x"] else 0)
    with pytest.raises(SystemExit) as caught:
        entry.main(["manage.py", "test", "-x"])
    assert caught.value.code == 3
    assert said == []
    assert "DJANGO_SETTINGS_MODULE" not in os.environ, "pytest has settings of its own"


def test_no_database_is_one_clear_line(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(var_dir: Path) -> None:
        raise embedded_postgres.EmbeddedPostgresError("no room")

    monkeypatch.setattr(embedded_postgres, "ensure_running", fail)
    with pytest.raises(SystemExit, match=r"^manage\.py: no room$"):
        entry.main(["manage.py", "migrate"])
