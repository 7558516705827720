"""Accounts as rows."""

import pytest
from django.db import IntegrityError, transaction

from accounts.models import User
from tests.factories import make_user


@pytest.mark.parametrize(
    ("status", "may"), [("ACTIVE", True), ("LOCKED", False), ("DISABLED", False)]
)
def test_only_active_accounts_may_sign_in(status: str, may: bool) -> None:
    assert User(status=status).is_active is may


def test_a_new_account_is_active_and_lower_case(db: None) -> None:
    person = User.objects.create_user(" Ada@Example.COM ", "a brand new password")
    assert (person.email, person.status) == ("ada@example.com", "ACTIVE")
    assert person.check_password("a brand new password")


def test_an_address_is_found_whatever_its_case(user: User) -> None:
    assert User.objects.get_by_natural_key(" User@EXAMPLE.com") == user


@pytest.mark.parametrize("columns", [{"status": "GONE"}, {"email": "Upper@example.com"}])
def test_the_database_refuses_odd_rows(user: User, columns: dict[str, str]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.filter(pk=user.pk).update(**columns)


def test_one_address_is_one_row(user: User) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        make_user(user.email)
