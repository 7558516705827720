"""Passwords: what may be one, and how the machine makes one."""

import secrets
import string

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from accounts.models import User
from controlplane.errors import InvalidInput

#: Characters. Longer ones would only make the hash dear; the shortest is Django's setting.
MAX_LENGTH = 256
_GENERATED_LENGTH = 24
_ALPHABET = string.ascii_letters + string.digits


def is_possible(text: str) -> bool:
    """Whether a text can be stored and hashed: not over-long, no NUL, no lone surrogate."""
    if len(text) > MAX_LENGTH or "\x00" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check(password: str, person: User) -> None:
    """Refuse a password that is too weak for this person. Raises InvalidInput with the limits."""
    if not is_possible(password):
        raise InvalidInput(
            f"A password has at most {MAX_LENGTH} characters, all of them valid text.",
            field="password",
        )
    try:
        validate_password(password, person)
    except ValidationError as error:
        raise InvalidInput(" ".join(error.messages), field="password") from error


def generate() -> str:
    """A password of 24 letters and digits, about 140 bits."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_GENERATED_LENGTH))
