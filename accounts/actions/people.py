"""Create an account, change its role, status or password; each is audited."""

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from accounts import errors, passwords, queries, roles, sessions
from accounts.models import User
from accounts.permissions import require
from audit import recorder
from audit.recorder import Target
from audit.vocabulary import EventType
from controlplane.actors import Actor
from controlplane.errors import InvalidInput, NotFound, PermissionDenied

_MAX_EMAIL_LENGTH = 254
_MANAGE = "users.manage"


def create_user(*, email: str, password: str, role: str, actor: Actor) -> User:
    """A new ACTIVE account. Raises InvalidInput (field email, password or role), EmailTaken."""
    require(actor, _MANAGE)
    person = User(email=_valid_email(email))
    _check_role(role)
    passwords.check(password, person)
    person.set_password(password)
    with transaction.atomic():
        _insert(person)
        roles.assign(person, role)
        _record(EventType.USER_CREATED, person, actor, role=role)
    return person


def set_role(*, user_id: int, role: str, actor: Actor) -> User:
    """Give a person another role. Raises OwnAccount, InvalidInput, NotFound."""
    _check_role(role)
    with transaction.atomic():
        person = _person_to_manage(user_id, actor)
        before = roles.highest(roles.held_by(person))
        if before != role:
            roles.assign(person, role)
            _record(EventType.USER_ROLE_CHANGED, person, actor, before=before, after=role)
    return person


def set_status(*, user_id: int, status: str, actor: Actor, reason: str = "") -> User:
    """Lock, disable or reactivate a person; the first two end their sessions.

    Raises OwnAccount, InvalidInput, NotFound.
    """
    if status not in User.Status.values:
        raise InvalidInput(f"status must be one of {', '.join(User.Status)}.", field="status")
    with transaction.atomic():
        person = _person_to_manage(user_id, actor)
        before = person.status
        if before != status:
            person.status = status
            person.save(update_fields=["status"])
            _record(
                EventType.USER_STATUS_CHANGED,
                person,
                actor,
                before=before,
                after=status,
                reason=reason,
            )
        if status != User.Status.ACTIVE:
            sessions.end_sessions(person.pk)
            sessions.end_api_sessions(person.pk, status.lower())
    return person


def change_password(*, user_id: int, password: str, actor: Actor, current: str = "") -> User:
    """Set a person's password; one's own needs the current one. Sessions made with the old one end,
    those of the API too; personal tokens stay.

    Raises InvalidInput (field current or password), PermissionDenied, NotFound.
    """
    if actor.id != user_id:
        require(actor, _MANAGE)
    with transaction.atomic():
        person = _locked(user_id)
        knows_it = passwords.is_possible(current) and person.check_password(current)
        if actor.id == user_id and not knows_it:
            raise InvalidInput("The current password is wrong.", field="current")
        passwords.check(password, person)
        person.set_password(password)
        person.save(update_fields=["password"])
        sessions.end_api_sessions(person.pk, "password")
        _record(EventType.PASSWORD_CHANGED, person, actor)
    return person


def _person_to_manage(user_id: int, actor: Actor) -> User:
    """Lock and return somebody else's account, with the actor's right to it read afresh.

    The lock makes one change of roles at a time, so that two administrators cannot remove each
    other and leave nobody.
    """
    require(actor, _MANAGE)
    if actor.id == user_id:
        raise errors.OwnAccount
    Group.objects.select_for_update().get(pk=roles.group_of(roles.ADMIN).pk)
    if actor.id is not None:
        manager = User.objects.filter(pk=actor.id).first()
        if manager is None or roles.ADMIN not in roles.roles_of(manager):
            raise PermissionDenied
    return _locked(user_id)


def _locked(user_id: int) -> User:
    person = User.objects.select_for_update(of=("self",)).filter(pk=user_id).first()
    if person is None:
        raise NotFound("There is no such account.")
    return person


def _insert(person: User) -> None:
    try:
        with transaction.atomic():
            person.save(force_insert=True)
    except IntegrityError as error:
        if queries.person_with_email(person.email) is None:
            raise
        raise errors.EmailTaken(field="email") from error


def _valid_email(raw: str) -> str:
    email = queries.normal_email(raw)
    if len(email) > _MAX_EMAIL_LENGTH:
        message = f"An e-mail address has at most {_MAX_EMAIL_LENGTH} characters."
        raise InvalidInput(message, field="email")
    try:
        validate_email(email)
    except ValidationError as error:
        raise InvalidInput(f"{email!r} is not an e-mail address.", field="email") from error
    return email


def _check_role(role: str) -> None:
    if role not in roles.ROLES:
        raise InvalidInput(f"role must be one of {', '.join(roles.ROLES)}.", field="role")


def _record(event_type: EventType, person: User, actor: Actor, **facts: str) -> None:
    target = Target("user", person.pk, person.email)
    recorder.record(event_type, target, actor=actor, metadata=facts)
