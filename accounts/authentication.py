"""Who is asking: the actor of a request, and signing in with an e-mail address and a password."""

from django.contrib import auth
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.http import HttpRequest

from accounts import errors, login_attempts, queries
from accounts.models import User
from accounts.passwords import is_possible
from accounts.roles import roles_of
from audit import recorder
from audit.recorder import Target
from audit.vocabulary import EventType
from controlplane.actors import Actor, Origin
from controlplane.errors import ControlPlaneError

#: Where Django keeps sessions' users; told so that a second backend does not make it ambiguous.
_BACKEND = "django.contrib.auth.backends.ModelBackend"

_REFUSALS: dict[str, type[ControlPlaneError]] = {
    User.Status.LOCKED: errors.AccountLocked,
    User.Status.DISABLED: errors.AccountDisabled,
}


def actor_of(request: HttpRequest) -> Actor:
    """The person behind a request with the roles in force now; a stranger, who has none, if any."""
    known: Actor | None = getattr(request, "known_actor", None)
    if known is None or known.id != request.user.pk:
        known = _actor(request.user, origin_of(request))
        request.known_actor = known  # type: ignore[attr-defined]  # saves a query per question
    return known


def origin_of(request: HttpRequest) -> Origin:
    """Where a request came from, as the middleware noted it."""
    origin: Origin = getattr(request, "origin", Origin())
    return origin


def sign_in(request: HttpRequest, *, email: str, password: str) -> User:
    """Start a session. Raises what `check_credentials` raises."""
    origin = origin_of(request)
    person = check_credentials(email=email, password=password, origin=origin)
    with transaction.atomic():
        auth.login(request, person, backend=_BACKEND)
        actor = _actor(person, origin)
        recorder.record(EventType.LOGIN_SUCCEEDED, _target(person), actor=actor)
    return person


def sign_out(request: HttpRequest) -> None:
    """End the session, if there is one."""
    person = request.user
    if not person.is_authenticated:
        return
    recorder.record(EventType.LOGOUT, _target(person), actor=actor_of(request))
    auth.logout(request)


def check_credentials(*, email: str, password: str, origin: Origin) -> User:
    """The ACTIVE person with this e-mail address and password; takes as long for an unknown one.

    Raises TooManyAttempts, BadCredentials, or AccountLocked and AccountDisabled, which only
    somebody who knows the password is told. A failure is recorded and stays: call it outside of any
    transaction.
    """
    try:
        login_attempts.check(email, origin.ip)
    except errors.TooManyAttempts as error:
        raise _failure(error, "too_many_attempts", email, None, origin) from None
    possible = is_possible(email) and is_possible(password)
    person = queries.person_with_email(email) if possible else None
    if person is None:
        make_password("as slow as the check of a real one")
        raise _failure(errors.BadCredentials(), "unknown_account", email, None, origin)
    if not person.check_password(password):
        raise _failure(errors.BadCredentials(), "wrong_password", email, person, origin)
    refusal = refusal_of(person)
    if refusal is not None:
        raise _failure(refusal, person.status.lower(), email, person, origin)
    login_attempts.forget(email, origin.ip)
    return person


def refusal_of(person: User) -> ControlPlaneError | None:
    """AccountLocked or AccountDisabled for somebody who may not sign in."""
    refusal = _REFUSALS.get(person.status)
    return refusal() if refusal else None


def _failure(
    error: ControlPlaneError, reason: str, email: str, person: User | None, origin: Origin
) -> ControlPlaneError:
    if isinstance(error, errors.BadCredentials):
        login_attempts.note_failure(email, origin.ip)
    target = Target("user", person.pk if person else None, email.strip())
    stranger = Actor(id=None, label="anonymous", origin=origin)
    with transaction.atomic(durable=True):
        recorder.record(EventType.LOGIN_FAILED, target, actor=stranger, metadata={"reason": reason})
    return error


def _actor(user: User | AnonymousUser, origin: Origin) -> Actor:
    if not user.is_authenticated:
        return Actor(id=None, label="anonymous", origin=origin)
    return Actor(id=user.pk, label=user.get_username(), roles=roles_of(user), origin=origin)


def _target(person: User) -> Target:
    return Target("user", person.pk, person.email)
