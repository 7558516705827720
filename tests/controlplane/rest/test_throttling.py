"""Requests in a minute."""

import pytest
from django.conf import LazySettings
from django.core.cache import cache

from accounts.models import User
from controlplane.rest.throttling import WINDOW, count
from tests.api_client import ApiClient, api_for


def test_a_token_has_its_requests_and_then_waits(user: User, settings: LazySettings) -> None:
    settings.CONTROL_PLANE = {"api_requests_per_minute": 2}
    first, second = api_for(user), api_for(user)
    assert [first.get("/auth/me").status for _ in range(2)] == [200, 200]
    refused = first.get("/auth/me")
    assert (refused.status, refused.code) == (429, "RATE_LIMITED")
    assert 1 <= int(refused.headers["Retry-After"]) <= WINDOW + 1
    assert second.get("/auth/me").status == 200


def test_logins_are_counted_by_address(db: None, settings: LazySettings) -> None:
    settings.CONTROL_PLANE = {"api_logins_per_minute": 1}
    body = {"refresh_token": "cpr_unknown"}
    assert ApiClient().post("/auth/logout", body).status == 204
    assert ApiClient().post("/auth/logout", body).code == "RATE_LIMITED"


def test_each_minute_counts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0
    monkeypatch.setattr("controlplane.rest.throttling.time.time", lambda: now)
    assert [count("x"), count("x"), count("y")] == [1, 2, 1]
    now += WINDOW
    assert count("x") == 1


def test_a_count_that_ends_between_two_looks_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "add", lambda *_: False)
    assert count("gone") == 1
