"""Swagger UI under the pages' content policy; the fixture fails on any complaint."""

import pytest
from playwright.sync_api import expect

from accounts.models import User
from tests.browser.conftest import OpenAs

pytestmark = pytest.mark.browser


def test_read_the_api_without_a_policy_being_broken(open_as: OpenAs, user: User) -> None:
    page = open_as(user, "/api/docs/")
    expect(page.locator("#api-docs .opblock").first).to_be_visible(timeout=20_000)
    expect(page.locator("#api-docs .opblock-summary-path").first).to_contain_text("/api/v1/")
