"""Who may do what: three roles, which are Django groups, and one table of permissions."""

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, Group

from accounts.models import User

USER = "USER"
OPERATOR = "OPERATOR"
ADMIN = "ADMIN"

#: From the least to the most powerful.
ROLES = (USER, OPERATOR, ADMIN)

_EVERYONE = frozenset(ROLES)
_OPERATORS = frozenset({OPERATOR, ADMIN})
_ADMINS = frozenset({ADMIN})
_NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Grant:
    """The roles that hold a permission: over anything, and over what the person owns."""

    over_all: frozenset[str]
    over_own: frozenset[str] = _NOBODY


#: permission -> the roles that hold it. A role that is not named may not.
GRANTS: dict[str, Grant] = {
    "jobs.see_all": Grant(_OPERATORS),
    "jobs.act": Grant(_OPERATORS, over_own=_EVERYONE),
    "schedules.see_all": Grant(_OPERATORS),
    "schedules.act": Grant(_OPERATORS, over_own=_EVERYONE),
    "queues.act": Grant(_OPERATORS),
    "audit.read": Grant(_OPERATORS),
    "users.manage": Grant(_ADMINS),
    "tasks.dangerous": Grant(_ADMINS),
}


def roles_of(user: User | AnonymousUser) -> frozenset[str]:
    """The roles in force for a person; none for one who may not sign in."""
    return held_by(user) if user.is_active else _NOBODY


def held_by(user: User | AnonymousUser) -> frozenset[str]:
    """The roles given to a person, in force or not."""
    return frozenset(user.groups.filter(name__in=ROLES).values_list("name", flat=True))


def assign(user: User, role: str) -> None:
    """Make `role` the only role of a person; groups that are no roles stay."""
    user.groups.remove(*Group.objects.filter(name__in=set(ROLES) - {role}))
    user.groups.add(group_of(role))


def group_of(role: str) -> Group:
    """The group that stands for a role. The first migration makes it; it is made again if lost."""
    return Group.objects.get_or_create(name=role)[0]


def highest(roles: Collection[str]) -> str:
    """The most powerful of some roles; empty when there is none."""
    return next((role for role in reversed(ROLES) if role in roles), "")
