"""The API's routes as the URLconf has them, and what each role is answered by each.

A new route fails test_role_matrix.py until it stands here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.urls import URLPattern, URLResolver

from controlplane.api import urls
from controlplane.api.views import Unknown
from tests.factories import PASSWORD

METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Route:
    """`answers`: to a stranger, to the owner (USER), to another USER, an OPERATOR, an ADMIN."""

    answers: str
    body: dict[str, Any] | None = None
    #: State of the owner's job or schedule that the address names.
    state: str = "PENDING"
    #: What it records, once, when it is obeyed; reading records nothing.
    events: tuple[str, ...] = field(default=())


EVERYBODY = "401 200 200 200 200"
OWNERS = "401 200 404 200 200"
OPERATORS = "401 403 403 200 200"
ADMINS = "401 403 403 403 200"
JOB = {"task": "tests.sample_app.tasks.noop"}
LOGIN = {"email": "user@example.com", "password": PASSWORD}

ROUTES: dict[str, Route] = {
    "GET ": Route(EVERYBODY),
    "GET schema": Route(EVERYBODY),
    "POST auth/login": Route("200 200 200 200 200", LOGIN, events=("LOGIN_SUCCEEDED",)),
    "POST auth/refresh": Route("401 401 401 401 401", {"refresh_token": "cpr_unknown"}),
    "POST auth/logout": Route("204 204 204 204 204", {"refresh_token": "cpr_unknown"}),
    "GET auth/me": Route(EVERYBODY),
    "POST auth/password": Route(
        "401 204 204 204 204",
        {"current": PASSWORD, "password": "quite another one"},
        events=("PASSWORD_CHANGED",),
    ),
    "GET auth/sessions": Route(EVERYBODY),
    "DELETE auth/sessions/<int:session_id>": Route(
        "401 204 404 404 404", events=("SESSION_REVOKED",)
    ),
    "GET tokens": Route(EVERYBODY),
    "POST tokens": Route(
        "401 201 201 201 201", {"name": "x", "scope": "read"}, events=("API_TOKEN_CREATED",)
    ),
    "DELETE tokens/<int:token_id>": Route("401 204 404 404 404", events=("API_TOKEN_REVOKED",)),
    "GET users": Route(ADMINS),
    "POST users": Route(
        "401 403 403 403 201",
        {"email": "new@example.com", "password": "a brand new password"},
        events=("USER_CREATED",),
    ),
    "GET users/<int:user_id>": Route(ADMINS),
    "PATCH users/<int:user_id>": Route(ADMINS, {"role": "OPERATOR"}, events=("USER_ROLE_CHANGED",)),
    "GET audit": Route(OPERATORS),
    "GET audit/targets/<str:target_type>/<int:target_id>": Route(OPERATORS),
    "GET jobs": Route(EVERYBODY),
    "POST jobs": Route("401 201 201 201 201", JOB, events=("JOB_CREATED",)),
    "GET jobs/stats": Route(EVERYBODY),
    "POST jobs/bulk": Route(EVERYBODY, {"verb": "cancel", "ids": [1]}),
    "GET jobs/<int:job_id>": Route(OWNERS),
    "GET jobs/<int:job_id>/executions": Route(OWNERS),
    "GET jobs/<int:job_id>/executions/<int:number>": Route(OWNERS, state="SUCCEEDED"),
    "GET jobs/<int:job_id>/log": Route(OWNERS),
    "GET jobs/<int:job_id>/blockers": Route(OWNERS),
    "POST jobs/<int:job_id>/cancel": Route(OWNERS, {}, events=("JOB_CANCELLED",)),
    "POST jobs/<int:job_id>/retry": Route(OWNERS, {}, "DEAD_LETTER", ("JOB_RETRIED",)),
    "POST jobs/<int:job_id>/discard": Route(OWNERS, {}, "DEAD_LETTER", ("JOB_DISCARDED",)),
    "POST jobs/<int:job_id>/verification": Route(
        OWNERS, {"decision": "confirm"}, "NEEDS_VERIFICATION", ("JOB_VERIFIED",)
    ),
    "GET tasks": Route(EVERYBODY),
    "GET queues": Route(OPERATORS),
    "POST queues/<str:name>/pause": Route(
        "401 403 403 204 204", {"reason": "x"}, events=("QUEUE_PAUSED",)
    ),
    "POST queues/<str:name>/resume": Route("401 403 403 204 204", events=("QUEUE_RESUMED",)),
    "GET workers": Route(OPERATORS),
    "GET schedules": Route(EVERYBODY),
    "POST schedules": Route(
        "401 201 201 201 201", {"name": "x", **JOB}, events=("SCHEDULE_CREATED",)
    ),
    "POST schedules/bulk": Route(EVERYBODY, {"verb": "pause", "ids": [1]}),
    "GET schedules/<int:schedule_id>": Route(OWNERS),
    "PATCH schedules/<int:schedule_id>": Route(OWNERS, {"name": "y"}, events=("SCHEDULE_UPDATED",)),
    "DELETE schedules/<int:schedule_id>": Route(
        "401 204 404 204 204", events=("SCHEDULE_DELETED",)
    ),
    "POST schedules/<int:schedule_id>/pause": Route(OWNERS, {}, events=("SCHEDULE_PAUSED",)),
    "POST schedules/<int:schedule_id>/resume": Route(
        OWNERS, state="PAUSED", events=("SCHEDULE_RESUMED",)
    ),
    "POST schedules/<int:schedule_id>/disable": Route(OWNERS, events=("SCHEDULE_DISABLED",)),
    "POST schedules/<int:schedule_id>/restore": Route(
        OWNERS, state="TASK_NOT_FOUND", events=("SCHEDULE_PAUSED",)
    ),
    "POST schedules/<int:schedule_id>/run": Route(
        "401 201 404 201 201", {}, events=("JOB_CREATED", "SCHEDULE_RUN")
    ),
    "POST schedules/<int:schedule_id>/backfill": Route(
        OWNERS, {"since": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"}
    ),
    "GET schedules/<int:schedule_id>/firings": Route(OWNERS),
    "GET schedules/<int:schedule_id>/executions": Route(OWNERS),
}


def routes_of_urlconf() -> list[str]:
    """Every method of every address under /api/v1/, as ROUTES spells them."""
    return sorted(
        f"{method.upper()} {address}"
        for address, view in _views(urls.urlpatterns, "")
        if view is not Unknown
        for method in METHODS
        if hasattr(view, method)
    )


def _views(patterns: list[Any], before: str) -> Iterator[tuple[str, Any]]:
    for pattern in patterns:
        address = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _views(pattern.url_patterns, address)
        elif isinstance(pattern, URLPattern):
            yield address, pattern.callback.view_class  # type: ignore[attr-defined]  # a class's
