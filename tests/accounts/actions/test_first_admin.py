"""The first administrator: made once, whoever asks and however often."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection

from accounts import errors, roles
from accounts.actions import create_admin_once, ensure_first_admin
from accounts.models import User
from audit.models import AuditEvent
from controlplane.errors import InvalidInput

EMAIL = "root@example.com"
PASSWORD = "a brand new password"


def test_the_password_is_told_once_and_kept_for_the_owner_alone(db: None, tmp_path: Path) -> None:
    file = tmp_path / "var" / "admin-password"
    made = ensure_first_admin(email=EMAIL, password_file=file)
    assert made.email == EMAIL
    assert made.password is not None
    assert len(made.password) >= 20
    assert file.read_text() == made.password + "\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    person = User.objects.get()
    assert person.check_password(made.password)
    assert roles.roles_of(person) == {"ADMIN"}
    event = AuditEvent.objects.get()
    assert (event.event_type, event.actor_name) == ("USER_CREATED", "system")
    assert made.password not in str(event.metadata)


def test_a_second_time_changes_nothing(db: None, tmp_path: Path) -> None:
    file = tmp_path / "admin-password"
    first = ensure_first_admin(email=EMAIL, password_file=file)
    again = ensure_first_admin(email="other@example.com", password_file=file)
    assert (again.email, again.password) == (EMAIL, None)
    assert file.read_text() == f"{first.password}\n"
    assert User.objects.count() == 1


def test_an_administrator_of_another_address_is_enough(admin: User, tmp_path: Path) -> None:
    found = ensure_first_admin(email=EMAIL, password_file=tmp_path / "p")
    assert (found.email, found.password) == (admin.email, None)
    assert not (tmp_path / "p").exists()


def test_an_address_of_somebody_else_is_a_conflict(user: User, tmp_path: Path) -> None:
    with pytest.raises(errors.EmailTaken):
        ensure_first_admin(email=user.email, password_file=tmp_path / "p")
    assert roles.roles_of(user) == {"USER"}
    assert not (tmp_path / "p").exists()


def test_no_account_is_made_whose_password_cannot_be_kept(db: None, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    with pytest.raises(OSError, match="p"):
        ensure_first_admin(email=EMAIL, password_file=tmp_path / "p")
    assert not User.objects.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


def test_an_old_password_file_is_replaced_with_its_rights(db: None, tmp_path: Path) -> None:
    file = tmp_path / "p"
    file.write_text("old")
    file.chmod(0o644)
    made = ensure_first_admin(email=EMAIL, password_file=file)
    assert file.read_text() == f"{made.password}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_of_several_at_once_one_makes_it(transactional_db: None, tmp_path: Path) -> None:
    file = tmp_path / "p"

    def ask(_: int) -> str | None:
        try:
            return ensure_first_admin(email=EMAIL, password_file=file).password
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        told = [password for password in threads.map(ask, range(4)) if password]
    assert len(told) == 1
    assert file.read_text() == f"{told[0]}\n"
    assert User.objects.get().check_password(told[0])


def test_a_named_administrator_is_made_once(db: None) -> None:
    person, created = create_admin_once(email="Root@Example.com", password=PASSWORD)
    assert created
    assert roles.roles_of(person) == {"ADMIN"}
    again, created = create_admin_once(email=EMAIL, password="quite another password")
    assert (again.pk, created) == (person.pk, False)
    again.refresh_from_db()
    assert again.check_password(PASSWORD)


def test_a_present_account_keeps_its_role_and_status(user: User) -> None:
    User.objects.update(status="LOCKED")
    person, created = create_admin_once(email=user.email, password=PASSWORD)
    assert (person.pk, person.status, created) == (user.pk, "LOCKED", False)
    assert roles.held_by(person) == {"USER"}


@pytest.mark.parametrize(
    ("email", "password", "field"),
    [("x\x00", PASSWORD, "email"), ("", PASSWORD, "email"), (EMAIL, "short", "password")],
)
def test_bad_input_is_refused(db: None, email: str, password: str, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        create_admin_once(email=email, password=password)
    assert caught.value.field == field
    assert not User.objects.exists()
