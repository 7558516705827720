"""The environment as settings read it: typed, and a bad value names its variable."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from controlplane import env, settings
from controlplane.conf import Options

NAME = "CONTROL_PLANE_TEST_VARIABLE"


@pytest.fixture
def variable(monkeypatch: pytest.MonkeyPatch) -> Any:
    return lambda value: monkeypatch.setenv(NAME, value)


@pytest.mark.parametrize(
    ("value", "meaning"),
    [
        *[(word, True) for word in ("1", "true", "True", "YES", "on", " on ")],
        *[(word, False) for word in ("0", "false", "No", "off", "")],
    ],
)
def test_a_flag_has_few_spellings(variable: Any, value: str, meaning: bool) -> None:
    variable(value)
    assert env.flag(NAME, default=not meaning) is meaning


@pytest.mark.parametrize("value", ["2", "enabled", "ja", "tru"])
def test_any_other_spelling_is_refused_rather_than_false(variable: Any, value: str) -> None:
    variable(value)
    with pytest.raises(ImproperlyConfigured, match=f"{NAME} must be true or false"):
        env.flag(NAME)


def test_defaults_hold_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NAME, raising=False)
    assert env.flag(NAME, default=True) is True
    assert env.text(NAME, "else") == "else"
    assert env.number(NAME, 1.5, minimum=0, maximum=2) == 1.5
    assert env.integer(NAME, 2, minimum=0, maximum=2) == 2
    assert env.names(NAME, "a,b") == ("a", "b")
    assert env.secret(NAME, "hidden") == "hidden"


@pytest.mark.parametrize("value", ["0.5", "5", "1e0"])
def test_a_number_within_its_bounds_is_taken(variable: Any, value: str) -> None:
    variable(value)
    assert env.number(NAME, 1, minimum=0.5, maximum=5) == float(value)


@pytest.mark.parametrize("value", ["", "two", "0.4", "5.1", "nan", "inf", "-inf"])
def test_any_other_number_is_refused_by_name(variable: Any, value: str) -> None:
    variable(value)
    with pytest.raises(ImproperlyConfigured, match=NAME):
        env.number(NAME, 1, minimum=0.5, maximum=5)


def test_an_integer_has_no_fraction(variable: Any) -> None:
    variable("2.5")
    with pytest.raises(ImproperlyConfigured, match=f"{NAME} must be a whole number"):
        env.integer(NAME, 1, minimum=0, maximum=5)
    variable("3")
    assert env.integer(NAME, 1, minimum=0, maximum=5) == 3


def test_a_list_loses_blanks(variable: Any) -> None:
    variable(" one, ,two ,")
    assert env.names(NAME) == ("one", "two")


def test_a_secret_may_lie_in_a_file(
    variable: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "secret"
    file.write_text("from the file\n", encoding="utf-8")
    variable("from the variable")
    assert env.secret(NAME) == "from the variable"
    monkeypatch.setenv(f"{NAME}_FILE", str(file))
    assert env.secret(NAME) == "from the file"


def test_a_secret_file_that_cannot_be_read_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(f"{NAME}_FILE", str(tmp_path / "missing"))
    with pytest.raises(ImproperlyConfigured, match=f"{NAME}_FILE cannot be read"):
        env.secret(NAME)


# The settings themselves, run anew with another environment.


@pytest.fixture
def settings_with(monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(**variables: str) -> dict[str, Any]:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return runpy.run_path(str(settings.__file__))

    return run


def test_production_refuses_to_start_without_a_secret_key(settings_with: Any) -> None:
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY"):
        settings_with(DJANGO_ENV="production", SECRET_KEY="")


def test_production_allows_no_host_by_itself(settings_with: Any) -> None:
    found = settings_with(
        DJANGO_ENV="production",
        SECRET_KEY="k" * 50,
        JWT_SIGNING_KEY="j" * 50,
        ALLOWED_HOSTS="",
    )
    assert found["ALLOWED_HOSTS"] == []
    assert found["SESSION_COOKIE_SECURE"] is True
    assert found["DEBUG"] is False


def test_the_database_is_the_one_of_its_url(settings_with: Any) -> None:
    url = "postgresql://me:secret@db.example:6543/jobs?sslmode=require"
    found = settings_with(DATABASE_URL=url)["DATABASES"]["default"]
    assert found["ENGINE"] == "django.db.backends.postgresql"
    assert (found["HOST"], found["PORT"], found["NAME"]) == ("db.example", 6543, "jobs")
    assert found["OPTIONS"] == {"application_name": "controlplane", "sslmode": "require"}


@pytest.mark.parametrize("url", ["sqlite:///file", "mysql://a@b/c", "oracle://a@b/c", "jobs", ""])
def test_another_kind_of_database_gets_an_engine_that_needs_no_driver(
    settings_with: Any, url: str
) -> None:
    """So that the system check, and no traceback of a driver, says what is wrong."""
    found = settings_with(DATABASE_URL=url)["DATABASES"]["default"]
    assert found["ENGINE"] == "django.db.backends.dummy"


@pytest.mark.parametrize(
    ("variable", "value", "option", "meaning"),
    [
        ("EXECUTOR_ENABLED", "yes", "executor_enabled", True),
        ("EXECUTOR_THREADS", "3", "executor_threads", 3),
        ("LEASE_SECONDS", "90", "lease_seconds", 90.0),
        ("RUN_COMMAND_ENABLED", "on", "run_command_enabled", True),
        ("MANAGEMENT_COMMANDS_ALLOWED", "check, migrate", "management_commands_allowed", None),
    ],
)
def test_options_come_from_the_environment(
    settings_with: Any, variable: str, value: str, option: str, meaning: object
) -> None:
    found = settings_with(**{variable: value})["CONTROL_PLANE"]
    assert found[option] == (("check", "migrate") if meaning is None else meaning)


@pytest.mark.parametrize(
    ("variable", "value"),
    [("EXECUTOR_THREADS", "0"), ("LEASE_SECONDS", "soon"), ("EXECUTOR_ENABLED", "perhaps")],
)
def test_a_bad_option_stops_the_start_with_its_name(
    settings_with: Any, variable: str, value: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=variable):
        settings_with(**{variable: value})


def test_what_the_settings_set_are_options(settings_with: Any) -> None:
    assert Options(**settings_with()["CONTROL_PLANE"])
