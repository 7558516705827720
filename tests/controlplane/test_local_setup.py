"""A machine that nobody has configured gets what the project needs, and nothing is overruled."""

import os
import stat
from pathlib import Path

import pytest

from controlplane import embedded_postgres, local_setup


@pytest.fixture(autouse=True)
def unconfigured(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "DJANGO_ENV", "SECRET_KEY", "SECRET_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)


def test_it_is_wanted_only_where_nothing_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    assert local_setup.is_wanted(["migrate"])
    monkeypatch.setenv("DATABASE_URL", "postgresql://example/x")
    assert not local_setup.is_wanted(["migrate"])
    assert local_setup.is_wanted(["up"]), "its tasks are to work with any database"
    monkeypatch.setenv("DJANGO_ENV", "production")
    assert not local_setup.is_wanted(["up"])


def test_the_key_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    path = Path(local_setup.local_environment(tmp_path)["SECRET_KEY_FILE"])
    key = path.read_text(encoding="ascii")
    assert len(key) >= 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    local_setup.local_environment(tmp_path)
    assert path.read_text(encoding="ascii") == key
    assert {found.name for found in tmp_path.iterdir()} == {"secret_key", "staticfiles"}


def test_a_given_key_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "mine")
    assert "SECRET_KEY_FILE" not in local_setup.local_environment(tmp_path)


def test_what_is_set_already_is_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXECUTOR_ENABLED", "false")
    monkeypatch.setenv("FRESH", "")
    monkeypatch.delenv("FRESH")
    local_setup.apply({"EXECUTOR_ENABLED": "true", "FRESH": "yes"})
    assert (os.environ["EXECUTOR_ENABLED"], os.environ["FRESH"]) == ("false", "yes")
    monkeypatch.delenv("FRESH")


def test_the_database_is_the_embedded_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = local_setup.local_environment(tmp_path)["DATABASE_URL"]
    assert url == embedded_postgres.connection_url(tmp_path)
    assert not local_setup.uses_embedded_database(tmp_path)
    monkeypatch.setenv("DATABASE_URL", url)
    assert local_setup.uses_embedded_database(tmp_path)


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("migrate", True),
        ("runexecutor --once", True),
        ("", False),
        ("help", False),
        ("migrate --help", False),
        ("check", False),
        ("up --once", False),
        ("bench --quick", False),
    ],
)
def test_commands_that_need_no_database_start_none(command: str, needed: bool) -> None:
    assert local_setup.needs_database(command.split()) is needed
