"""`manage.py bootstrap_admin`: the first administrator of a production installation."""

from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.models import User
from accounts.roles import roles_of
from tests.conftest import StartCommand

EMAIL = "root@example.com"
PASSWORD = "a brand new password"


def run(settings: Any, email: str = EMAIL, password: str = PASSWORD) -> tuple[str, str]:
    settings.BOOTSTRAP_ADMIN_EMAIL = email
    settings.BOOTSTRAP_ADMIN_PASSWORD = password
    out, err = StringIO(), StringIO()
    call_command("bootstrap_admin", stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_it_makes_an_administrator(db: None, settings: Any) -> None:
    out, err = run(settings)
    assert out == f"Administrator {EMAIL} made.\n"
    assert err == ""
    person = User.objects.get()
    assert person.check_password(PASSWORD)
    assert roles_of(person) == {"ADMIN"}


def test_a_present_account_is_left_as_it_is(user: User, settings: Any) -> None:
    before = User.objects.values().get()
    out, _ = run(settings, email="USER@example.com")
    assert "left as it is" in out
    assert User.objects.values().get() == before
    assert roles_of(user) == {"USER"}


@pytest.mark.parametrize(("email", "password"), [("", PASSWORD), ("  ", PASSWORD), (EMAIL, "")])
def test_blank_values_are_skipped_with_a_warning(
    db: None, settings: Any, email: str, password: str
) -> None:
    out, err = run(settings, email, password)
    assert out == ""
    assert "BOOTSTRAP_ADMIN" in err
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("email", "password", "message"),
    [
        ("not an address", PASSWORD, "BOOTSTRAP_ADMIN_EMAIL: 'not an address' is not"),
        (EMAIL, "short", "BOOTSTRAP_ADMIN_PASSWORD: .*12 characters"),
        (EMAIL, "p" * 300, "BOOTSTRAP_ADMIN_PASSWORD: .*256 characters"),
    ],
)
def test_a_bad_value_is_named(
    db: None, settings: Any, email: str, password: str, message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        run(settings, email, password)
    assert not User.objects.exists()


def test_of_several_at_once_one_wins(transactional_db: None, settings: Any) -> None:
    def ask(_: int) -> str:
        try:
            return run(settings)[0]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        said = sorted(threads.map(ask, range(4)))
    assert ["made" in line for line in said].count(True) == 1
    assert ["left as it is" in line for line in said].count(True) == 3
    assert User.objects.count() == 1


@pytest.mark.processes
def test_the_environment_or_a_file_gives_the_values(
    start_command: StartCommand, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(PASSWORD + "\n")
    given = {"BOOTSTRAP_ADMIN_EMAIL": EMAIL, "BOOTSTRAP_ADMIN_PASSWORD_FILE": str(secret)}
    process = start_command("bootstrap_admin", environment=given)
    assert process.wait() == 0, process.log()
    assert User.objects.get().check_password(PASSWORD)


@pytest.mark.processes
def test_a_short_password_ends_with_one_line_and_a_status(start_command: StartCommand) -> None:
    given = {"BOOTSTRAP_ADMIN_EMAIL": EMAIL, "BOOTSTRAP_ADMIN_PASSWORD": "short"}
    process = start_command("bootstrap_admin", environment=given)
    assert process.wait() == 1
    assert "BOOTSTRAP_ADMIN_PASSWORD" in process.log()
    assert "Traceback" not in process.log()
