"""The login form."""

import pytest

from accounts.forms import LoginForm

FORM = {"email": "a@example.com", "password": " spaces count "}


def test_a_password_keeps_its_spaces() -> None:
    form = LoginForm(FORM)
    assert form.is_valid()
    assert form.cleaned_data["password"] == " spaces count "


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("email", "", "required"),
        ("email", "e" * 255, "at most 254"),
        ("email", "e\x00", "Null"),
        ("password", "p" * 257, "at most 256"),
        ("password", "p\x00", "Null"),
    ],
)
def test_an_error_names_its_field_and_limit(field: str, value: str, message: str) -> None:
    form = LoginForm({**FORM, field: value})
    assert list(form.errors) == [field]
    assert message in form.errors[field][0]


def test_a_password_is_never_sent_back() -> None:
    assert "spaces count" not in LoginForm(FORM).as_p()
