"""Whom a bearer token stands for."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts import access_tokens, errors, roles
from accounts.actions import set_role
from accounts.actions.personal_tokens import create_token, revoke_token
from accounts.credentials import Kind, credential_of
from accounts.models import ApiSession, PersonalToken, User
from accounts.roles import roles_of
from controlplane.actors import Actor, Origin
from tests.api_client import session_of
from tests.conftest import actor_for

ORIGIN = Origin(ip="192.0.2.1")


def access_token(user: User) -> str:
    return access_tokens.issue(session_of(user), roles_of(user))


def personal_token(user: User, scope: str = "write") -> str:
    return create_token(name="x", scope=scope, expires_in_days=1, actor=actor_for(user))[1]


def test_an_access_token_makes_its_person_an_actor(user: User) -> None:
    person, credential = credential_of(access_token(user), ORIGIN)
    assert person == user
    assert credential.kind is Kind.ACCESS
    assert credential.can_write
    expected = Actor(id=user.pk, label=user.email, roles=frozenset({"USER"}), origin=ORIGIN)
    assert credential.actor == expected


def test_an_access_token_keeps_its_roles_until_it_is_refreshed(
    user: User, admin_actor: Actor
) -> None:
    """The limit that docs/api.md states: a quarter of an hour."""
    token = access_token(user)
    set_role(user_id=user.pk, role=roles.OPERATOR, actor=admin_actor)
    assert credential_of(token, ORIGIN)[1].actor.roles == {"USER"}


def test_a_personal_token_brings_the_roles_of_now(user: User, admin_actor: Actor) -> None:
    token = personal_token(user)
    set_role(user_id=user.pk, role=roles.OPERATOR, actor=admin_actor)
    assert credential_of(token, ORIGIN)[1].actor.roles == {"OPERATOR"}


@pytest.mark.parametrize("make", [access_token, personal_token])
@pytest.mark.parametrize("status", ["LOCKED", "DISABLED"])
def test_a_lock_ends_every_token_at_once(user: User, make: object, status: str) -> None:
    token = make(user)  # type: ignore[operator]  # either of the two above
    User.objects.update(status=status)
    with pytest.raises(errors.InvalidToken):
        credential_of(token, ORIGIN)


@pytest.mark.parametrize("make", [access_token, personal_token])
def test_the_tokens_of_a_deleted_account_end(user: User, make: object) -> None:
    token = make(user)  # type: ignore[operator]  # either of the two above
    user.delete()
    with pytest.raises(errors.InvalidToken):
        credential_of(token, ORIGIN)


def test_the_end_of_its_session_ends_an_access_token(user: User) -> None:
    token = access_token(user)
    ApiSession.objects.update(revoked_at=timezone.now())
    with pytest.raises(errors.InvalidToken):
        credential_of(token, ORIGIN)


def test_a_revoked_personal_token_is_refused(user: User) -> None:
    token = personal_token(user)
    revoke_token(token_id=PersonalToken.objects.get().id, actor=actor_for(user))
    with pytest.raises(errors.InvalidToken):
        credential_of(token, ORIGIN)


def test_an_expired_personal_token_is_refused(user: User) -> None:
    token = personal_token(user)
    PersonalToken.objects.update(expires_at=timezone.now())
    with pytest.raises(errors.TokenExpired):
        credential_of(token, ORIGIN)


@pytest.mark.parametrize("token", ["cpt_unknown", "cpt_" + "x" * 1000, "cpt_\x00", "cpt_é"])
def test_an_unknown_personal_token_is_refused(db: None, token: str) -> None:
    with pytest.raises(errors.InvalidToken):
        credential_of(token, ORIGIN)


def test_a_personal_token_writes_only_if_its_scope_says_so(user: User) -> None:
    assert credential_of(personal_token(user, "write"), ORIGIN)[1].can_write
    assert not credential_of(personal_token(user, "read"), ORIGIN)[1].can_write


def test_the_last_use_is_noted_to_the_minute(user: User) -> None:
    token = personal_token(user)
    credential_of(token, ORIGIN)
    first = PersonalToken.objects.get().used_at
    credential_of(token, ORIGIN)
    assert PersonalToken.objects.get().used_at == first is not None
    PersonalToken.objects.update(used_at=timezone.now() - timedelta(minutes=2))
    credential_of(token, ORIGIN)
    used_at = PersonalToken.objects.get().used_at
    assert used_at is not None
    assert used_at > first


def test_each_token_has_a_key_of_its_own(user: User) -> None:
    keys = {
        credential_of(make(user), ORIGIN)[1].key
        for make in (access_token, access_token, personal_token, personal_token)
    }
    assert len(keys) == 4
