"""The first administrator of an installation, made once by the machine itself."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from accounts import errors, passwords, queries
from accounts.actions.people import create_user
from accounts.models import User
from accounts.roles import ADMIN
from controlplane.actors import SYSTEM


@dataclass(frozen=True, slots=True)
class FirstAdmin:
    """Who administers, and the password: told once, to whoever made the account."""

    email: str
    password: str | None


def ensure_first_admin(*, email: str, password_file: Path) -> FirstAdmin:
    """Make an administrator with a generated password, unless there is one already.

    The password is also written to `password_file`, for its owner's eyes only (0600). Raises
    InvalidInput for a bad address, Conflict when a person without the role has it, OSError when
    the file cannot be written; the account is then not made.
    """
    present = queries.first_active_admin()
    if present is not None:
        return FirstAdmin(present.email, None)
    password = passwords.generate()
    try:
        with transaction.atomic():
            person = create_user(email=email, password=password, role=ADMIN, actor=SYSTEM)
            _write_private(password_file, password)
    except errors.EmailTaken:
        present = queries.first_active_admin()
        if present is None:
            raise
        return FirstAdmin(present.email, None)
    return FirstAdmin(person.email, password)


def create_admin_once(*, email: str, password: str) -> tuple[User, bool]:
    """The account of this address, made an administrator if new, and whether it is new.

    A present account stays as it is, whatever its role.

    Raises InvalidInput (field email or password).
    """
    present = queries.person_with_email(email) if passwords.is_possible(email) else None
    if present is not None:
        return present, False
    try:
        person = create_user(email=email, password=password, role=ADMIN, actor=SYSTEM)
    except errors.EmailTaken:
        return User.objects.get(email=queries.normal_email(email)), False
    return person, True


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
