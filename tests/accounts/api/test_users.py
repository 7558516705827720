"""Accounts, as administrators manage them by HTTP."""

import pytest

from accounts.models import User
from audit.models import AuditEvent
from tests.api_client import api_for

NEW = {"email": "new@example.com", "password": "a brand new password", "role": "OPERATOR"}


def test_an_administrator_lists_and_reads_accounts(admin: User, user: User) -> None:
    api = api_for(admin)
    emails = [item["email"] for item in api.get("/users").body["items"]]
    assert emails == ["user@example.com", "admin@example.com"]
    one = api.get(f"/users/{user.pk}?fields=email,role,status").body
    assert one == {"email": "user@example.com", "role": "USER", "status": "ACTIVE"}
    assert "password" not in api.get(f"/users/{user.pk}").text


def test_an_administrator_makes_an_account(admin: User) -> None:
    answer = api_for(admin).post("/users", NEW)
    person = User.objects.get(email="new@example.com")
    assert (answer.status, answer.body["role"]) == (201, "OPERATOR")
    assert answer.headers["Location"] == f"/api/v1/users/{person.pk}"
    assert AuditEvent.objects.get(event_type="USER_CREATED").target_id == person.pk


def test_an_address_is_one_account(admin: User, user: User) -> None:
    answer = api_for(admin).post("/users", {**NEW, "email": "USER@example.com"})
    assert (answer.status, answer.code) == (409, "EMAIL_TAKEN")


def test_role_and_status_change_together_or_not_at_all(admin: User, user: User) -> None:
    api = api_for(admin)
    both = api.patch(f"/users/{user.pk}", {"role": "OPERATOR", "status": "LOCKED"})
    assert (both.body["role"], both.body["status"]) == ("OPERATOR", "LOCKED")
    wrong = api.patch(f"/users/{user.pk}", {"role": "ADMIN", "status": "GONE"})
    assert (wrong.status, wrong.body["field"]) == (400, "status")
    assert api.get(f"/users/{user.pk}").body["role"] == "OPERATOR"


@pytest.mark.parametrize("change", [{"role": "USER"}, {"status": "DISABLED"}])
def test_nobody_changes_their_own_role_or_status(admin: User, change: dict[str, str]) -> None:
    answer = api_for(admin).patch(f"/users/{admin.pk}", change)
    assert (answer.status, answer.code) == (403, "OWN_ACCOUNT")


@pytest.mark.parametrize("field", ["is_staff", "is_superuser", "id", "password", "email"])
def test_other_columns_cannot_be_set(admin: User, user: User, field: str) -> None:
    answer = api_for(admin).patch(f"/users/{user.pk}", {field: True})
    assert (answer.status, answer.body["field"]) == (400, field)


def test_an_unknown_account_is_not_found(admin: User) -> None:
    api = api_for(admin)
    assert api.get("/users/999999").status == 404
    assert api.get(f"/users/{10**30}").status == 404
    assert api.patch("/users/999999", {"role": "USER"}).status == 404


def test_a_token_of_an_administrator_who_is_none_any_more_changes_no_account(
    admin: User, user: User
) -> None:
    """The claim still says ADMIN, but what guards accounts reads the roles of now."""
    api = api_for(admin)
    admin.groups.clear()
    assert api.patch(f"/users/{user.pk}", {"role": "ADMIN"}).status == 403
