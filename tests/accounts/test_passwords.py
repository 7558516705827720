"""Which passwords are taken, and the generated ones."""

import pytest

from accounts import passwords
from accounts.models import User
from controlplane.errors import InvalidInput

PERSON = User(email="ada.lovelace@example.com")


@pytest.mark.parametrize("password", ["correct horse battery", "ünïcödé pässwörd", "x7" * 128])
def test_long_enough_and_uncommon_is_enough(password: str) -> None:
    passwords.check(password, PERSON)


@pytest.mark.parametrize(
    ("password", "message"),
    [
        ("", "12 characters"),
        ("elevenchars", "12 characters"),
        ("1q2w3e4r5t6y", "too common"),
        ("ada.lovelace@example.com", "similar"),
        ("x" * 257, "at most 256"),
        ("correct horse\x00battery", "valid text"),
        ("correct horse\ud800battery", "valid text"),
    ],
)
def test_a_weak_or_impossible_one_is_refused(password: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        passwords.check(password, PERSON)
    assert caught.value.field == "password"


def test_generated_ones_are_long_unlike_and_good_enough() -> None:
    made = {passwords.generate() for _ in range(50)}
    assert len(made) == 50
    for password in made:
        assert len(password) >= 20
        passwords.check(password, PERSON)
