"""Log in to the API, refresh, log out: sessions made of rotating refresh tokens.

A refresh token works once. Its second use means that two parties hold it, so the session ends for
both; clients must therefore refresh one at a time.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from accounts import access_tokens, errors, opaque_tokens
from accounts.authentication import check_credentials, refusal_of
from accounts.models import ApiSession, RefreshToken, User
from accounts.roles import roles_of
from audit import recorder
from audit.recorder import Target
from audit.vocabulary import EventType
from controlplane.actors import Actor, Origin
from controlplane.errors import ControlPlaneError, NotFound

#: How long a refresh token may lie unused ...
REFRESH_LIFETIME = timedelta(days=7)
#: ... and how long a session may go on without a fresh login.
SESSION_LIFETIME = timedelta(days=30)
#: Ended sessions are kept so long, for their person to see.
KEPT_AFTER_END = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a client gets: both tokens, and when the second one ends."""

    access: str
    refresh: str
    refresh_expires_at: datetime


def log_in(*, email: str, password: str, origin: Origin) -> Tokens:
    """Start a session. Raises what `check_credentials` raises; call it outside of a transaction."""
    person = check_credentials(email=email, password=password, origin=origin)
    now = timezone.now()
    with transaction.atomic():
        ApiSession.objects.filter(user=person, expires_at__lt=now - KEPT_AFTER_END).delete()
        session = ApiSession.objects.create(
            user=person,
            expires_at=now + REFRESH_LIFETIME,
            ip_address=origin.ip or None,
            user_agent=origin.user_agent,
        )
        session.refresh_from_db()
        User.objects.filter(pk=person.pk).update(last_login=Now())
        _record(EventType.LOGIN_SUCCEEDED, session, person, origin)
        return _new_tokens(session, person)


def refresh(*, token: str, origin: Origin) -> Tokens:
    """New tokens for an unused refresh token, which is then used.

    Of several calls with one token at once, one wins. Raises InvalidRefreshToken,
    RefreshTokenReused (the session has then ended), AccountLocked or AccountDisabled.
    """
    with transaction.atomic():
        outcome = _rotate(token, origin)
    if isinstance(outcome, ControlPlaneError):
        # Only now: what was revoked must outlast the error.
        raise outcome
    return outcome


def log_out(*, token: str, origin: Origin) -> None:
    """End the session of a refresh token; an unknown one is nobody's business."""
    with transaction.atomic():
        session = _locked_session(token)
        if session is not None and session.revoked_at is None:
            _end(session, "logout")
            _record(EventType.LOGOUT, session, session.user, origin)


def revoke_session(*, session_id: int, actor: Actor) -> None:
    """End one of the actor's own sessions. Raises NotFound."""
    with transaction.atomic():
        rows = ApiSession.objects.select_for_update(of=("self",)).select_related("user")
        session = rows.filter(id=session_id).first()
        if session is None or session.user_id != actor.id:
            raise NotFound(f"You have no session {session_id}.")
        if session.revoked_at is None:
            _end(session, "revoked")
            _record(EventType.SESSION_REVOKED, session, session.user, actor.origin)


def _rotate(text: str, origin: Origin) -> Tokens | ControlPlaneError:
    session = _locked_session(text)
    if session is None:
        return errors.InvalidRefreshToken()
    token = RefreshToken.objects.get(digest=opaque_tokens.digest(text))
    if token.used_at is not None:
        if session.revoked_at is None:
            _end(session, "reuse")
            _record(EventType.SESSION_REVOKED, session, session.user, origin, reason="reuse")
        return errors.RefreshTokenReused()
    if session.revoked_at is not None or token.expires_at <= timezone.now():
        return errors.InvalidRefreshToken()
    refusal = refusal_of(session.user)
    if refusal is not None:
        return refusal
    RefreshToken.objects.filter(id=token.id).update(used_at=Now())
    _record(EventType.TOKEN_REFRESHED, session, session.user, origin)
    return _new_tokens(session, session.user)


def _locked_session(token: str) -> ApiSession | None:
    """The session of a refresh token, locked: one refresh or logout at a time."""
    if not opaque_tokens.is_possible(token, opaque_tokens.REFRESH_PREFIX):
        return None
    known = RefreshToken.objects.filter(digest=opaque_tokens.digest(token)).values("session_id")
    rows = ApiSession.objects.select_for_update(of=("self",)).select_related("user")
    return rows.filter(id__in=known).first()


def _new_tokens(session: ApiSession, person: User) -> Tokens:
    text = opaque_tokens.new(opaque_tokens.REFRESH_PREFIX)
    expires_at = min(timezone.now() + REFRESH_LIFETIME, session.created_at + SESSION_LIFETIME)
    RefreshToken.objects.create(
        session=session, digest=opaque_tokens.digest(text), expires_at=expires_at
    )
    ApiSession.objects.filter(id=session.id).update(used_at=Now(), expires_at=expires_at)
    return Tokens(access_tokens.issue(session, roles_of(person)), text, expires_at)


def _end(session: ApiSession, why: str) -> None:
    ApiSession.objects.filter(id=session.id).update(revoked_at=Now(), revoked_for=why)


def _record(
    event: EventType, session: ApiSession, person: User, origin: Origin, **facts: str
) -> None:
    actor = Actor(id=person.pk, label=person.email, roles=roles_of(person), origin=origin)
    target = Target("user", person.pk, person.email)
    recorder.record(event, target, actor=actor, metadata={"session": session.id, **facts})
