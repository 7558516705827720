"""The Authorization header."""

import pytest
from django.test import Client

from accounts.models import User
from tests.api_client import ApiClient, api_for


@pytest.mark.parametrize(
    "header",
    ["Basic dXNlcjpwYXNz", "Bearer", "Bearer ", "Token x", "Bearer a b c", "Bearer " + "x" * 9_000],
)
def test_any_other_header_is_refused(db: None, header: str) -> None:
    answer = ApiClient().get("/auth/me", headers={"Authorization": header})
    assert (answer.status, answer.code) == (401, "INVALID_TOKEN")


def test_no_header_is_told_from_a_wrong_one(db: None) -> None:
    assert ApiClient().get("/auth/me").code == "NOT_AUTHENTICATED"


def test_the_scheme_has_no_case(user: User) -> None:
    api = api_for(user)
    answer = ApiClient().get("/auth/me", headers={"Authorization": f"bEARER  {api.token} "})
    assert answer.status == 200


def test_a_page_session_opens_nothing_here(user_client: Client) -> None:
    response = user_client.get("/api/v1/auth/me")
    assert response.status_code == 401
