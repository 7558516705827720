"""Make and revoke the keys that a person's scripts use."""

from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from accounts import opaque_tokens
from accounts.models import PersonalToken
from audit import recorder
from audit.recorder import Target
from audit.vocabulary import EventType
from controlplane.actors import Actor
from controlplane.errors import Conflict, InvalidInput, NotFound, PermissionDenied

MAX_NAME = 100
MAX_DAYS = 366
#: Unrevoked ones that a person may have.
MAX_TOKENS = 50


def create_token(
    *, name: str, scope: str, expires_in_days: int, actor: Actor
) -> tuple[PersonalToken, str]:
    """A new token of the actor's, and its text, which cannot be had again.

    Raises InvalidInput (field name, scope or expires_in_days), Conflict when there are too many.
    """
    if actor.id is None:
        raise PermissionDenied
    _check(name, scope, expires_in_days)
    if (
        PersonalToken.objects.filter(user_id=actor.id, revoked_at__isnull=True).count()
        >= MAX_TOKENS
    ):
        raise Conflict(f"You have {MAX_TOKENS} tokens already; revoke one first.")
    text = opaque_tokens.new(opaque_tokens.PERSONAL_PREFIX)
    with transaction.atomic():
        token = PersonalToken.objects.create(
            user_id=actor.id,
            name=name.strip(),
            prefix=text[:8],
            digest=opaque_tokens.digest(text),
            scope=scope,
            expires_at=timezone.now() + timedelta(days=expires_in_days),
        )
        _record(EventType.API_TOKEN_CREATED, token, actor)
    token.refresh_from_db()
    return token, text


def revoke_token(*, token_id: int, actor: Actor) -> None:
    """End one of the actor's own tokens at once. Raises NotFound."""
    with transaction.atomic():
        token = PersonalToken.objects.select_for_update().filter(id=token_id).first()
        if token is None or token.user_id != actor.id:
            raise NotFound(f"You have no token {token_id}.")
        if token.revoked_at is None:
            PersonalToken.objects.filter(id=token_id).update(revoked_at=Now())
            _record(EventType.API_TOKEN_REVOKED, token, actor)


def _check(name: str, scope: str, days: int) -> None:
    if not name.strip() or len(name) > MAX_NAME or "\x00" in name:
        message = f"name must have from 1 to {MAX_NAME} characters, none of them NUL."
        raise InvalidInput(message, field="name")
    if scope not in PersonalToken.Scope.values:
        known = ", ".join(PersonalToken.Scope.values)
        raise InvalidInput(f"scope must be one of {known}.", field="scope")
    if not 1 <= days <= MAX_DAYS:
        message = f"expires_in_days must be from 1 to {MAX_DAYS}."
        raise InvalidInput(message, field="expires_in_days")


def _record(event: EventType, token: PersonalToken, actor: Actor) -> None:
    facts = {"token": token.id, "name": token.name, "scope": token.scope}
    target = Target("user", actor.id, actor.label)
    recorder.record(event, target, actor=actor, metadata=facts)
