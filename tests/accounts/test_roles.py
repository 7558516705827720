"""The roles and their groups."""

import pytest
from django.contrib.auth.models import AnonymousUser, Group

from accounts import roles
from accounts.models import User
from tests.factories import make_user


def test_migrations_make_a_group_of_each_role(db: None) -> None:
    assert set(Group.objects.values_list("name", flat=True)) >= set(roles.ROLES)


def test_roles_are_the_groups_that_are_roles(db: None) -> None:
    person = make_user("", roles.USER, roles.ADMIN, "chess club")
    assert roles.roles_of(person) == {roles.USER, roles.ADMIN}


def test_a_stranger_has_no_role(db: None) -> None:
    assert roles.roles_of(AnonymousUser()) == frozenset()


@pytest.mark.parametrize("status", [User.Status.LOCKED, User.Status.DISABLED])
def test_roles_of_a_person_who_may_not_sign_in_are_not_in_force(admin: User, status: str) -> None:
    admin.status = status
    assert roles.roles_of(admin) == frozenset()
    assert roles.held_by(admin) == {roles.ADMIN}


def test_a_new_role_replaces_the_former_and_leaves_other_groups(db: None) -> None:
    person = make_user("", roles.USER, roles.OPERATOR, "chess club")
    roles.assign(person, roles.ADMIN)
    assert set(person.groups.values_list("name", flat=True)) == {roles.ADMIN, "chess club"}


def test_the_highest_role_is_the_most_powerful() -> None:
    assert roles.highest({roles.USER, roles.OPERATOR}) == roles.OPERATOR
    assert roles.highest(roles.ROLES) == roles.ADMIN
    assert roles.highest(()) == ""
