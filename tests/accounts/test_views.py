"""The login and logout pages."""

import pytest
from django.test import Client

from accounts.errors import BadCredentials
from accounts.models import User
from audit.models import AuditEvent
from tests.factories import PASSWORD

FORM = {"email": "user@example.com", "password": PASSWORD}


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_the_right_pair_signs_in_and_is_recorded(user: User, client: Client) -> None:
    page = client.post("/login/", FORM, REMOTE_ADDR="192.0.2.9", headers={"User-Agent": "Lynx"})
    assert (page.status_code, page.headers["Location"]) == (302, "/")
    assert is_signed_in(client)
    event = AuditEvent.objects.get()
    assert (event.event_type, event.actor_id, event.target_id) == (
        "LOGIN_SUCCEEDED",
        user.pk,
        user.pk,
    )
    assert (event.ip_address, event.user_agent) == ("192.0.2.9", "Lynx")
    assert event.request_id == page.headers["X-Request-ID"]


def test_the_page_asks_for_address_and_password(client: Client, db: None) -> None:
    page = client.get("/login/?next=/audit/")
    assert page.status_code == 200
    assert 'name="email"' in page.text
    assert 'autocomplete="current-password"' in page.text
    assert 'name="next" value="/audit/"' in page.text
    assert "no-store" in page.headers["Cache-Control"]


@pytest.mark.parametrize(
    "form", [{**FORM, "password": "open sesame"}, {**FORM, "email": "x@y.example"}]
)
def test_a_wrong_pair_gets_one_sentence(user: User, client: Client, form: dict[str, str]) -> None:
    page = client.post("/login/", form)
    assert page.status_code == 401
    assert BadCredentials().message in page.text
    assert form["email"] in page.text
    assert form["password"] not in page.text
    assert not is_signed_in(client)
    assert AuditEvent.objects.get().event_type == "LOGIN_FAILED"


@pytest.mark.parametrize(
    ("status", "word"), [(User.Status.LOCKED, "locked"), (User.Status.DISABLED, "disabled")]
)
def test_a_locked_or_disabled_person_is_told_so(
    user: User, client: Client, status: str, word: str
) -> None:
    User.objects.update(status=status)
    page = client.post("/login/", FORM)
    assert page.status_code == 403
    assert f"account is {word}" in page.text
    assert not is_signed_in(client)


@pytest.mark.parametrize("status", [User.Status.LOCKED, User.Status.DISABLED])
def test_the_session_of_a_locked_or_disabled_person_stops_at_once(
    user: User, user_client: Client, status: str
) -> None:
    assert user_client.get("/audit/").status_code == 403
    User.objects.update(status=status)
    page = user_client.get("/audit/")
    assert (page.status_code, page.headers["Location"]) == (302, "/login/?next=/audit/")


def test_a_new_password_ends_sessions_made_with_the_old_one(
    user: User, user_client: Client
) -> None:
    user.set_password("another good password")
    user.save()
    assert user_client.get("/audit/").status_code == 302


@pytest.mark.parametrize(
    ("wanted", "location"),
    [
        ("/audit/?actor=1", "/audit/?actor=1"),
        ("", "/"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("///evil.example", "/"),
        ("http:///evil.example", "/"),
        ("javascript:alert(1)", "/"),
        (" //evil.example", "/"),
        ("/\x00", "/%00"),
        ("/" + "a" * 5000, "/"),
        ("http://testserver:99999999/", "/"),
    ],
)
def test_only_pages_of_this_site_are_gone_to(
    user: User, client: Client, wanted: str, location: str
) -> None:
    page = client.post("/login/", {**FORM, "next": wanted})
    assert (page.status_code, page.headers["Location"]) == (302, location)


def test_who_is_signed_in_goes_on(user_client: Client) -> None:
    page = user_client.get("/login/?next=/audit/")
    assert (page.status_code, page.headers["Location"]) == (302, "/audit/")


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"email": "user@example.com"},
        {"password": PASSWORD},
        {**FORM, "email": "user@example.com\x00"},
        {**FORM, "password": "\x00"},
        {**FORM, "email": "u" * 100_000},
        {**FORM, "password": "p" * 100_000},
    ],
)
def test_impossible_input_is_an_error_of_the_form(
    user: User, client: Client, form: dict[str, str]
) -> None:
    page = client.post("/login/", form)
    assert page.status_code == 400
    assert "errorlist" in page.text
    assert not is_signed_in(client)


def test_a_broken_byte_sequence_is_just_wrong(user: User, client: Client) -> None:
    body = b"email=%ED%A0%80&password=%FF%FE"
    page = client.post("/login/", body, content_type="application/x-www-form-urlencoded")
    assert page.status_code == 401


def test_login_needs_the_token_of_its_form(user: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post("/login/", FORM).status_code == 403
    assert not is_signed_in(strict)


def test_the_session_gets_a_new_key_at_login(user: User, client: Client) -> None:
    session = client.session
    session["planted"] = "yes"
    session.save()
    planted = session.session_key
    client.cookies["sessionid"] = planted or ""
    client.post("/login/", FORM)
    assert client.session.session_key != planted


def test_logout_ends_the_session_and_is_recorded(user: User, user_client: Client) -> None:
    page = user_client.post("/logout/")
    assert (page.status_code, page.headers["Location"]) == (302, "/login/")
    assert not is_signed_in(user_client)
    event = AuditEvent.objects.get()
    assert (event.event_type, event.actor_id) == ("LOGOUT", user.pk)


def test_a_link_cannot_sign_anybody_out(user_client: Client) -> None:
    assert user_client.get("/logout/").status_code == 405
    assert is_signed_in(user_client)


def test_a_stranger_may_sign_out(client: Client, db: None) -> None:
    assert client.post("/logout/").status_code == 302
    assert not AuditEvent.objects.exists()
