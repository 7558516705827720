"""Logging in to the API, refreshing, logging out."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts import access_tokens, errors, opaque_tokens, roles
from accounts.actions import api_sessions, change_password, set_role, set_status
from accounts.actions.api_sessions import Tokens
from accounts.models import ApiSession, RefreshToken, User
from audit.models import AuditEvent
from controlplane.actors import Actor, Origin
from controlplane.errors import ControlPlaneError, NotFound
from tests.concurrency import together
from tests.conftest import actor_for
from tests.factories import PASSWORD

ORIGIN = Origin(ip="192.0.2.1", user_agent="curl/8", request_id="abc")


def log_in(user: User) -> Tokens:
    return api_sessions.log_in(email=user.email, password=PASSWORD, origin=ORIGIN)


def refresh(token: str) -> Tokens:
    return api_sessions.refresh(token=token, origin=ORIGIN)


def last_event() -> tuple[str, dict[str, object]]:
    event = AuditEvent.objects.order_by("-id")[0]
    return event.event_type, event.metadata


def test_a_login_gives_tokens_and_keeps_only_a_hash(user: User) -> None:
    tokens = log_in(user)
    session = ApiSession.objects.get(user=user)
    kept = RefreshToken.objects.get(session=session)
    assert kept.digest == opaque_tokens.digest(tokens.refresh) != tokens.refresh
    assert access_tokens.read(tokens.access).roles == {"USER"}
    assert (session.ip_address, session.user_agent) == ("192.0.2.1", "curl/8")
    week = timezone.now() + timedelta(days=7)
    assert abs(tokens.refresh_expires_at - week) < timedelta(minutes=1)
    assert last_event() == ("LOGIN_SUCCEEDED", {"session": session.id})
    user.refresh_from_db()
    assert user.last_login is not None


def test_a_wrong_password_gives_nothing(user: User) -> None:
    with pytest.raises(errors.BadCredentials):
        api_sessions.log_in(email=user.email, password="wrong", origin=ORIGIN)
    assert not ApiSession.objects.exists()


def test_a_refresh_gives_new_tokens_of_the_same_session(user: User) -> None:
    first = log_in(user)
    second = refresh(first.refresh)
    assert second.refresh != first.refresh
    session_id = access_tokens.read(first.access).session_id
    assert access_tokens.read(second.access).session_id == session_id
    assert last_event() == ("TOKEN_REFRESHED", {"session": session_id})


def test_a_refresh_brings_the_roles_of_now(user: User, admin_actor: Actor) -> None:
    tokens = log_in(user)
    set_role(user_id=user.pk, role=roles.OPERATOR, actor=admin_actor)
    assert access_tokens.read(refresh(tokens.refresh).access).roles == {"OPERATOR"}


def test_a_second_use_ends_the_session_of_everybody(user: User) -> None:
    first = log_in(user)
    second = refresh(first.refresh)
    with pytest.raises(errors.RefreshTokenReused):
        refresh(first.refresh)
    assert ApiSession.objects.get().revoked_for == "reuse"
    assert last_event()[0] == "SESSION_REVOKED"
    with pytest.raises(errors.InvalidRefreshToken):
        refresh(second.refresh)


def test_a_second_use_leaves_other_sessions_alone(user: User) -> None:
    other = log_in(user)
    first = log_in(user)
    refresh(first.refresh)
    with pytest.raises(errors.RefreshTokenReused):
        refresh(first.refresh)
    assert refresh(other.refresh)


def test_of_twenty_refreshes_at_once_one_wins(transactional_db: None, user: User) -> None:
    token = log_in(user).refresh
    outcomes = together(*[lambda: refresh(token)] * 20)
    won = [outcome for outcome in outcomes if isinstance(outcome, Tokens)]
    assert len(won) == 1
    assert all(
        isinstance(outcome, errors.RefreshTokenReused) for outcome in outcomes if outcome not in won
    )
    assert RefreshToken.objects.count() == 2


@pytest.mark.parametrize("token", ["", "cpr_unknown", "x" * 10_000, "cpr_\x00", "cpr_\ud800"])
def test_an_unknown_token_is_refused(db: None, token: str) -> None:
    with pytest.raises(errors.InvalidRefreshToken):
        refresh(token)


def test_an_access_token_is_no_refresh_token(user: User) -> None:
    with pytest.raises(errors.InvalidRefreshToken):
        refresh(log_in(user).access)


def test_an_unused_token_ends_after_a_week(user: User) -> None:
    tokens = log_in(user)
    RefreshToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(errors.InvalidRefreshToken):
        refresh(tokens.refresh)


def test_no_session_lasts_longer_than_thirty_days(user: User) -> None:
    tokens = log_in(user)
    ApiSession.objects.update(created_at=timezone.now() - timedelta(days=29))
    left = refresh(tokens.refresh).refresh_expires_at - timezone.now()
    assert timedelta(hours=23) < left <= timedelta(days=1)


def test_a_logout_ends_the_session(user: User) -> None:
    tokens = log_in(user)
    api_sessions.log_out(token=tokens.refresh, origin=ORIGIN)
    assert last_event()[0] == "LOGOUT"
    with pytest.raises(errors.InvalidRefreshToken):
        refresh(tokens.refresh)


def test_a_logout_with_an_unknown_or_ended_token_says_nothing(user: User) -> None:
    tokens = log_in(user)
    api_sessions.log_out(token=tokens.refresh, origin=ORIGIN)
    before = AuditEvent.objects.count()
    api_sessions.log_out(token=tokens.refresh, origin=ORIGIN)
    api_sessions.log_out(token="cpr_unknown", origin=ORIGIN)
    assert AuditEvent.objects.count() == before


@pytest.mark.parametrize(
    ("status", "error"),
    [("LOCKED", errors.AccountLocked), ("DISABLED", errors.AccountDisabled)],
)
def test_a_lock_ends_sessions_and_says_so_at_the_next_login(
    user: User, admin_actor: Actor, status: str, error: type[ControlPlaneError]
) -> None:
    tokens = log_in(user)
    set_status(user_id=user.pk, status=status, actor=admin_actor)
    assert ApiSession.objects.get().revoked_for == status.lower()
    with pytest.raises(errors.InvalidRefreshToken):
        refresh(tokens.refresh)
    with pytest.raises(error):
        log_in(user)


def test_an_account_locked_by_other_means_cannot_refresh(user: User) -> None:
    tokens = log_in(user)
    User.objects.update(status=User.Status.LOCKED)
    with pytest.raises(errors.AccountLocked):
        refresh(tokens.refresh)


def test_a_new_password_ends_sessions(user: User) -> None:
    tokens = log_in(user)
    change_password(
        user_id=user.pk, password="quite another one", current=PASSWORD, actor=actor_for(user)
    )
    with pytest.raises(errors.InvalidRefreshToken):
        refresh(tokens.refresh)


def test_one_revokes_ones_own_sessions_only(user: User, other_user: User) -> None:
    log_in(user)
    session = ApiSession.objects.get()
    with pytest.raises(NotFound):
        api_sessions.revoke_session(session_id=session.id, actor=actor_for(other_user))
    api_sessions.revoke_session(session_id=session.id, actor=actor_for(user))
    session.refresh_from_db()
    assert session.revoked_for == "revoked"


def test_sessions_that_ended_long_ago_are_forgotten_at_the_next_login(user: User) -> None:
    log_in(user)
    ApiSession.objects.update(expires_at=timezone.now() - timedelta(days=31))
    log_in(user)
    assert ApiSession.objects.count() == 1
