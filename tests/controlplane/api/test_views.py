"""The API's first page, and addresses that it does not have."""

import pytest

from accounts.models import User
from tests.api_client import ApiClient, api_for


def test_the_first_page_leads_to_the_documents(user: User) -> None:
    assert api_for(user).get("/").body == {"schema": "/api/v1/schema", "docs": "/api/docs/"}


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("path", ["/nothing", "/jobs/", "/jobs/1/", "/jobs/x", "/jobs/-1", "//"])
def test_an_unknown_address_says_so_to_everybody(db: None, method: str, path: str) -> None:
    answer = ApiClient()(method, path)
    assert (answer.status, answer.code) == (404, "UNKNOWN_ROUTE")
