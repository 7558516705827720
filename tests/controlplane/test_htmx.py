from typing import Any, cast

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django_htmx.middleware import HtmxMiddleware

from accounts.models import User
from controlplane.htmx import HtmxHttpRequest, signed_in


@signed_in
def secret(request: HtmxHttpRequest) -> HttpResponse:
    return HttpResponse("secret")


def answer(request: HttpRequest, user: Any = None) -> HttpResponse:
    request.user = user or AnonymousUser()
    return cast(HttpResponse, HtmxMiddleware(secret)(request))


def test_a_stranger_is_sent_to_the_login_and_back() -> None:
    response = answer(RequestFactory().get("/jobs/?status=FAILED"))
    assert response.status_code == 302
    assert response.headers["Location"] == "/login/?next=/jobs/%3Fstatus%3DFAILED"


def test_what_a_stranger_posts_is_not_repeated_after_the_login() -> None:
    response = answer(RequestFactory().post("/jobs/7/retry/"))
    assert response.headers["Location"] == "/login/"


def test_a_fragment_for_a_stranger_moves_the_whole_window() -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/jobs/7/"}
    response = answer(RequestFactory().get("/jobs/7/", headers=headers))
    assert response.status_code == 200
    assert response.headers["HX-Redirect"] == "/login/?next=/jobs/7/"


def test_a_signed_in_person_gets_a_page_that_no_cache_keeps(user: User) -> None:
    response = answer(RequestFactory().get("/"), user)
    assert response.content == b"secret"
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.parametrize(
    ("headers", "is_whole"),
    [
        ({}, True),
        ({"HX-Request": "true", "HX-Target": "jobs"}, False),
        ({"HX-Request": "true", "HX-Target": "elsewhere"}, True),
        ({"HX-Request": "true", "HX-Target": "jobs", "HX-Boosted": "true"}, True),
    ],
)
def test_a_page_or_its_partial(
    operator_client: Client, headers: dict[str, str], is_whole: bool
) -> None:
    response = operator_client.get("/jobs/", headers=headers)
    assert ("<!doctype html>" in response.text) is is_whole
    assert 'id="jobs"' in response.text
    assert "HX-Target" in response.headers["Vary"]
