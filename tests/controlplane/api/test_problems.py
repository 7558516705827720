"""Every refusal is a problem with a stable code."""

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.core.exceptions import SuspiciousOperation
from django.http import Http404
from rest_framework import exceptions

from accounts.models import User
from controlplane.api import problems
from controlplane.api.problems import TRANSLATIONS, answer
from controlplane.rest.errors import PayloadTooLarge
from jobs import queries
from tests.api_client import api_for

TASK = "tests.sample_app.tasks.noop"


def test_a_problem_has_all_its_members(user: User) -> None:
    refused = api_for(user).get("/jobs?status=GONE")
    assert refused.code == "INVALID_INPUT"
    assert refused.body == {
        "type": "urn:controlplane:problem:invalid_input",
        "title": "Bad Request",
        "status": 400,
        "code": "INVALID_INPUT",
        "detail": refused.body["detail"],
        "field": "status",
        "request_id": refused.headers["X-Request-ID"],
    }
    assert "PENDING" in refused.body["detail"]


def test_several_fields_at_fault_are_all_named(user: User) -> None:
    refused = api_for(user).post("/jobs", {"priority": 101, "max_attempts": 0})
    assert refused.body["field"] == "task"
    assert [problem["field"] for problem in refused.body["errors"]] == [
        "task",
        "priority",
        "max_attempts",
    ]
    assert "100" in refused.body["errors"][1]["detail"]


def test_a_field_deep_inside_is_named_by_its_path(user: User) -> None:
    refused = api_for(user).post("/jobs/bulk", {"verb": "cancel", "ids": [1, "x", 2]})
    assert refused.body["field"] == "ids.1"


def test_many_faults_are_not_all_told(user: User) -> None:
    refused = api_for(user).post("/jobs/bulk", {"verb": "cancel", "ids": ["x"] * 900})
    assert len(refused.body["errors"]) == problems.MAX_FIELDS


def test_a_body_that_is_too_large_is_refused_with_the_limit(user: User, settings: Any) -> None:
    settings.CONTROL_PLANE = {"max_request_bytes": 100}
    refused = api_for(user).post("/jobs", {"task": TASK, "args": ["x" * 200]})
    assert (refused.status, refused.code, refused.body["limit"]) == (413, "PAYLOAD_TOO_LARGE", 100)


@pytest.mark.parametrize(
    ("method", "path", "headers", "status", "code"),
    [
        ("PUT", "/jobs", {}, 405, "METHOD_NOT_ALLOWED"),
        ("OPTIONS", "/jobs", {}, 405, "METHOD_NOT_ALLOWED"),
        ("TRACE", "/jobs", {}, 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/jobs", {"Accept": "text/html"}, 406, "NOT_ACCEPTABLE"),
        ("POST", "/jobs", {"Content-Type": "text/plain"}, 415, "UNSUPPORTED_MEDIA_TYPE"),
        (
            "POST",
            "/jobs",
            {"Content-Type": "application/x-www-form-urlencoded"},
            415,
            "UNSUPPORTED_MEDIA_TYPE",
        ),
    ],
)
def test_what_http_itself_forbids_is_a_problem_too(
    user: User, method: str, path: str, headers: dict[str, str], status: int, code: str
) -> None:
    refused = api_for(user)(method, path, raw=b"x=1", headers=headers)
    assert (refused.status, refused.code) == (status, code)


def test_a_fault_of_ours_tells_nothing_of_itself(
    user: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(queries, "status_counts", broken)
    refused = api_for(user).get("/jobs/stats")
    assert (refused.status, refused.code) == (500, "error")
    assert "secret" not in refused.text
    assert "secret detail" in caplog.text


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (exceptions.AuthenticationFailed(), 401),
        (exceptions.PermissionDenied(), 403),
        (DjangoPermissionDenied(), 403),
        (exceptions.NotFound(), 404),
        (Http404(), 404),
        (exceptions.ParseError(), 400),
        (SuspiciousOperation(), 400),
        (PayloadTooLarge(limit=1), 413),
    ],
)
def test_what_others_raise_has_a_name_of_ours(error: Exception, status: int, db: None) -> None:
    class Request:
        auth = None
        method = "GET"
        path = "/api/v1/x"

    assert answer(error, {"request": Request()}).status_code == status


def test_no_translation_hides_behind_another() -> None:
    for number, (theirs, _) in enumerate(TRANSLATIONS):
        earlier = [kind for kind, _ in TRANSLATIONS[:number]]
        assert not any(issubclass(theirs, kind) for kind in earlier), theirs
