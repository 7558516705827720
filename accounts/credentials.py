"""Whom a bearer token stands for, and how far it reaches."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from accounts import access_tokens, errors, opaque_tokens
from accounts.models import ApiSession, PersonalToken, User
from accounts.roles import roles_of
from controlplane.actors import Actor, Origin

#: How old a personal token's time of last use may be before it is written anew.
USE_NOTED_EVERY = timedelta(minutes=1)


class Kind(StrEnum):
    """What kind of token was sent."""

    ACCESS = "access"
    PERSONAL = "personal"


@dataclass(frozen=True, slots=True)
class Credential:
    """A valid token: the actor whom it makes, and its limits."""

    kind: Kind
    #: Of the ApiSession or the PersonalToken.
    id: int
    actor: Actor
    can_write: bool = True

    @property
    def key(self) -> str:
        """What tells this token's requests from those of others, for rate limits."""
        return f"{self.kind}-{self.id}"


def credential_of(token: str, origin: Origin) -> tuple[User, Credential]:
    """The person and the reach of a bearer token.

    An access token brings the roles of its claim; a personal token those in force now. Both end at
    once with the account's lock or the session's end. Raises InvalidToken or TokenExpired.
    """
    if token.startswith(opaque_tokens.PERSONAL_PREFIX):
        return _by_personal_token(token, origin)
    claims = access_tokens.read(token)
    session = ApiSession.objects.select_related("user").filter(id=claims.session_id).first()
    if session is None or session.revoked_at or session.user_id != claims.user_id:
        raise errors.InvalidToken
    person = _active(session.user)
    actor = Actor(id=person.pk, label=person.email, roles=claims.roles, origin=origin)
    return person, Credential(Kind.ACCESS, session.id, actor)


def _by_personal_token(token: str, origin: Origin) -> tuple[User, Credential]:
    if not opaque_tokens.is_possible(token, opaque_tokens.PERSONAL_PREFIX):
        raise errors.InvalidToken
    rows = PersonalToken.objects.select_related("user")
    found = rows.filter(digest=opaque_tokens.digest(token), revoked_at__isnull=True).first()
    if found is None:
        raise errors.InvalidToken
    if found.expires_at <= timezone.now():
        raise errors.TokenExpired
    person = _active(found.user)
    _note_use(found)
    actor = Actor(id=person.pk, label=person.email, roles=roles_of(person), origin=origin)
    can_write = found.scope == PersonalToken.Scope.WRITE
    return person, Credential(Kind.PERSONAL, found.id, actor, can_write)


def _active(person: User) -> User:
    if not person.is_active:
        raise errors.InvalidToken
    return person


def _note_use(token: PersonalToken) -> None:
    if token.used_at is None or token.used_at < timezone.now() - USE_NOTED_EVERY:
        stale = Q(used_at__isnull=True) | Q(used_at__lt=Now() - USE_NOTED_EVERY)
        PersonalToken.objects.filter(stale, id=token.id).update(used_at=Now())
