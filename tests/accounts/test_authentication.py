"""Signing in: who may, what is said, what is recorded; and the actor behind a request."""

import time
from statistics import median
from typing import Any

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.test import RequestFactory

from accounts import errors
from accounts.authentication import actor_of, check_credentials
from accounts.models import User
from audit.models import AuditEvent
from controlplane.actors import Origin
from controlplane.errors import ControlPlaneError
from tests.factories import PASSWORD, make_user

ORIGIN = Origin(ip="192.0.2.1", user_agent="test", request_id="r1")


def failure(email: str, password: str) -> tuple[type[ControlPlaneError], str, AuditEvent]:
    with pytest.raises(ControlPlaneError) as caught:
        check_credentials(email=email, password=password, origin=ORIGIN)
    return type(caught.value), caught.value.message, AuditEvent.objects.get()


@pytest.mark.parametrize("email", ["user@example.com", " USER@Example.COM "])
def test_the_right_pair_is_let_in(user: User, email: str) -> None:
    assert check_credentials(email=email, password=PASSWORD, origin=ORIGIN) == user


def test_a_wrong_password_is_refused_and_recorded(user: User) -> None:
    kind, _, event = failure("user@example.com", "not the password")
    assert kind is errors.BadCredentials
    assert event.event_type == "LOGIN_FAILED"
    assert (event.target_type, event.target_id) == ("user", user.pk)
    assert (event.target_label, event.metadata) == (
        "user@example.com",
        {"reason": "wrong_password"},
    )
    assert (event.actor_id, event.actor_name) == (None, "anonymous")
    assert (event.ip_address, event.request_id) == ("192.0.2.1", "r1")


def test_an_unknown_address_is_told_the_same(user: User) -> None:
    kind, message, event = failure("nobody@example.com", PASSWORD)
    assert (kind, message) == (errors.BadCredentials, errors.BadCredentials().message)
    assert (event.target_id, event.target_label) == (None, "nobody@example.com")
    assert event.metadata == {"reason": "unknown_account"}


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (User.Status.LOCKED, errors.AccountLocked),
        (User.Status.DISABLED, errors.AccountDisabled),
    ],
)
def test_the_reason_of_a_refusal_is_told_to_who_knows_the_password(
    user: User, status: str, expected: type[ControlPlaneError]
) -> None:
    User.objects.update(status=status)
    kind, _, event = failure("user@example.com", PASSWORD)
    assert kind is expected
    assert event.metadata == {"reason": status.lower()}


@pytest.mark.parametrize("status", [User.Status.LOCKED, User.Status.DISABLED])
def test_who_does_not_know_the_password_learns_nothing_of_the_account(
    user: User, status: str
) -> None:
    User.objects.update(status=status)
    kind, message, _ = failure("user@example.com", "not the password")
    assert (kind, message) == (errors.BadCredentials, errors.BadCredentials().message)


@pytest.mark.parametrize(
    ("email", "password"),
    [
        ("user@example.com\x00", PASSWORD),
        ("user@example.com", PASSWORD + "\x00"),
        ("\ud800@example.com", PASSWORD),
        ("user@example.com", "\ud800" * 20),
        ("u" * 100_000, PASSWORD),
        ("user@example.com", "p" * 100_000),
        ("", ""),
    ],
)
def test_impossible_input_is_just_wrong(user: User, email: str, password: str) -> None:
    kind, _, event = failure(email, password)
    assert kind is errors.BadCredentials
    assert len(event.target_label) <= 255


def test_the_password_is_never_recorded(user: User) -> None:
    _, _, event = failure("user@example.com", "hunter2 hunter2")
    assert "hunter2" not in repr(AuditEvent.objects.values().get(pk=event.pk))


def test_a_failed_login_outlives_what_follows(transactional_db: None) -> None:
    """It commits by itself: inside a transaction that could be rolled back it refuses to work."""
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        check_credentials(email="nobody@example.com", password=PASSWORD, origin=ORIGIN)
    with pytest.raises(errors.BadCredentials):
        check_credentials(email="nobody@example.com", password=PASSWORD, origin=ORIGIN)
    assert AuditEvent.objects.filter(event_type="LOGIN_FAILED").count() == 1


def test_an_unknown_address_takes_as_long_as_a_wrong_password(db: None, settings: Any) -> None:
    settings.PASSWORD_HASHERS = [f"{__name__}.SlowHasher"]
    make_user("user@example.com")
    wrong, unknown = (
        median(_seconds(email) for _ in range(5)) for email in ("user@example.com", "x@example.com")
    )
    assert wrong > 0.02
    assert 0.5 < unknown / wrong < 2


class SlowHasher(PBKDF2PasswordHasher):
    """Slow enough to measure, quick enough for a test."""

    algorithm = "slow"
    iterations = 100_000


def _seconds(email: str) -> float:
    begun = time.perf_counter()
    with pytest.raises(errors.BadCredentials):
        check_credentials(email=email, password="not the password", origin=ORIGIN)
    return time.perf_counter() - begun


def test_the_actor_has_the_person_the_roles_and_the_origin(operator: User) -> None:
    request = RequestFactory().get("/")
    request.user = operator
    request.origin = ORIGIN  # type: ignore[attr-defined]
    actor = actor_of(request)
    assert (actor.id, actor.label) == (operator.pk, "operator@example.com")
    assert (actor.roles, actor.origin) == (frozenset({"OPERATOR"}), ORIGIN)
    assert not actor.is_system


def test_roles_are_read_once_in_a_request(operator: User, django_assert_num_queries: Any) -> None:
    request = RequestFactory().get("/")
    request.user = operator
    with django_assert_num_queries(1):
        assert actor_of(request) is actor_of(request)


def test_a_stranger_is_an_actor_without_rights(db: None) -> None:
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    actor = actor_of(request)
    assert (actor.id, actor.label, actor.roles) == (None, "anonymous", frozenset())
    assert not actor.is_system


def test_signing_in_during_a_request_changes_its_actor(user: User) -> None:
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    assert actor_of(request).id is None
    request.user = user
    assert actor_of(request).id == user.pk
