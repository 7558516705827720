"""Every role against every permission, in words that do not come from the table under test."""

import pytest

from accounts.permissions import allows, require, sees_all
from accounts.roles import GRANTS
from controlplane.actors import SYSTEM, Actor
from controlplane.errors import NotFound, PermissionDenied

ME, SOMEBODY = 1, 2

#: permission -> what USER, OPERATOR, ADMIN may: "all", "own" or "" (nothing).
EXPECTED = {
    "jobs.see_all": ("", "all", "all"),
    "jobs.act": ("own", "all", "all"),
    "schedules.see_all": ("", "all", "all"),
    "schedules.act": ("own", "all", "all"),
    "queues.act": ("", "all", "all"),
    "audit.read": ("", "all", "all"),
    "users.manage": ("", "", "all"),
    "tasks.dangerous": ("", "", "all"),
}
CASES = [
    (permission, role, reach)
    for permission, reaches in EXPECTED.items()
    for role, reach in zip(("USER", "OPERATOR", "ADMIN"), reaches, strict=True)
]


def person(*roles: str) -> Actor:
    return Actor(id=ME, label="me@example.com", roles=frozenset(roles))


def outcome(actor: Actor, permission: str, **owner: int | None) -> str:
    try:
        require(actor, permission, **owner)
    except PermissionDenied:
        answer = "denied"
    except NotFound:
        answer = "hidden"
    else:
        answer = "allowed"
    assert allows(actor, permission, **owner) == (answer == "allowed")
    return answer


def test_the_table_has_no_permission_beyond_these() -> None:
    assert set(GRANTS) == set(EXPECTED)


@pytest.mark.parametrize(("permission", "role", "reach"), CASES)
def test_each_role_may_what_the_table_says(permission: str, role: str, reach: str) -> None:
    actor = person(role)
    assert outcome(actor, permission) == ("allowed" if reach else "denied")
    assert outcome(actor, permission, owner_id=ME) == ("allowed" if reach else "denied")
    for owner_id in (SOMEBODY, None):
        expected = "allowed" if reach == "all" else "hidden"
        assert outcome(actor, permission, owner_id=owner_id) == expected
    assert sees_all(actor, permission) == bool(reach)


@pytest.mark.parametrize("permission", EXPECTED)
def test_the_system_may_everything(permission: str) -> None:
    assert outcome(SYSTEM, permission) == "allowed"
    assert outcome(SYSTEM, permission, owner_id=SOMEBODY) == "allowed"


@pytest.mark.parametrize("permission", EXPECTED)
def test_a_person_without_a_role_may_nothing(permission: str) -> None:
    assert outcome(person(), permission) == "denied"
    assert outcome(person("chess club"), permission, owner_id=ME) == "denied"
    assert outcome(person(), permission, owner_id=SOMEBODY) == "hidden"


@pytest.mark.parametrize("permission", EXPECTED)
def test_a_stranger_is_neither_the_system_nor_the_owner_of_ownerless_things(
    permission: str,
) -> None:
    stranger = Actor(id=None, label="anonymous")
    assert outcome(stranger, permission) == "denied"
    assert outcome(stranger, permission, owner_id=None) == "hidden"
    with_role = Actor(id=None, label="odd", roles=frozenset({"USER"}))
    assert outcome(with_role, permission, owner_id=None) == "hidden"


def test_the_most_powerful_of_several_roles_counts() -> None:
    assert outcome(person("USER", "OPERATOR"), "jobs.act", owner_id=SOMEBODY) == "allowed"


def test_an_unknown_permission_is_an_error_and_no_answer() -> None:
    with pytest.raises(KeyError):
        allows(SYSTEM, "jobs.fly")
