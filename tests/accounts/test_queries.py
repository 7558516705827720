"""Reads about people."""

from typing import Any

import pytest

from accounts import queries
from accounts.models import User
from tests.factories import make_user


def test_people_come_by_address_with_their_groups(
    user: User, admin: User, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(2):
        found = [(p.email, [g.name for g in p.groups.all()]) for p in queries.people()]
    assert found == [("admin@example.com", ["ADMIN"]), ("user@example.com", ["USER"])]


@pytest.mark.parametrize("email", ["user@example.com", "\tUSER@example.com "])
def test_an_address_leads_to_its_account(user: User, email: str) -> None:
    assert queries.person_with_email(email) == user


def test_an_unknown_address_leads_nowhere(user: User) -> None:
    assert queries.person_with_email("user@example.org") is None


def test_the_first_administrator_is_the_oldest_who_may_act(admin: User, operator: User) -> None:
    younger = make_user("a@example.com", "ADMIN")
    assert queries.first_active_admin() == admin
    User.objects.filter(pk=admin.pk).update(status="LOCKED")
    assert queries.first_active_admin() == younger
    User.objects.filter(pk=younger.pk).update(status="DISABLED")
    assert queries.first_active_admin() is None
