"""Personal tokens: made once, kept as a hash, revoked at once."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts import opaque_tokens
from accounts.actions import personal_tokens
from accounts.actions.personal_tokens import create_token, revoke_token
from accounts.models import PersonalToken
from audit.models import AuditEvent
from controlplane.actors import SYSTEM, Actor
from controlplane.errors import Conflict, InvalidInput, NotFound, PermissionDenied

NEW: dict[str, Any] = {"name": "nightly", "scope": "read", "expires_in_days": 30}


def test_a_token_is_kept_as_a_hash_and_its_beginning(user_actor: Actor) -> None:
    token, text = create_token(**NEW, actor=user_actor)
    assert token.digest == opaque_tokens.digest(text)
    assert text.startswith(token.prefix)
    assert len(token.prefix) == 8
    in_a_month = timezone.now() + timedelta(days=30)
    assert abs(token.expires_at - in_a_month) < timedelta(minutes=1)
    event = AuditEvent.objects.get(event_type="API_TOKEN_CREATED")
    assert event.metadata == {"token": token.id, "name": "nightly", "scope": "read"}


def test_one_revokes_ones_own_tokens_only(user_actor: Actor, other_user_actor: Actor) -> None:
    token, _ = create_token(**NEW, actor=user_actor)
    with pytest.raises(NotFound):
        revoke_token(token_id=token.id, actor=other_user_actor)
    revoke_token(token_id=token.id, actor=user_actor)
    revoke_token(token_id=token.id, actor=user_actor)
    assert AuditEvent.objects.filter(event_type="API_TOKEN_REVOKED").count() == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", " "),
        ("name", "x" * 101),
        ("name", "a\x00"),
        ("scope", "admin"),
        ("expires_in_days", 0),
        ("expires_in_days", 367),
    ],
)
def test_what_cannot_be_is_refused_by_name(user_actor: Actor, field: str, value: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        create_token(**{**NEW, field: value}, actor=user_actor)
    assert caught.value.field == field


def test_nobody_has_more_than_fifty(user_actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(personal_tokens, "MAX_TOKENS", 1)
    create_token(**NEW, actor=user_actor)
    with pytest.raises(Conflict, match="1 tokens already"):
        create_token(**NEW, actor=user_actor)
    revoke_token(token_id=PersonalToken.objects.get().id, actor=user_actor)
    create_token(**NEW, actor=user_actor)


def test_the_system_is_no_person(db: None) -> None:
    with pytest.raises(PermissionDenied):
        create_token(**NEW, actor=SYSTEM)
