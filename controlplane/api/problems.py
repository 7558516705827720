"""Every refusal of the API as application/problem+json (RFC 9457)."""

import logging
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.http import Http404, HttpRequest
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import origin_of
from accounts.errors import NotAuthenticated
from audit import recorder
from audit.recorder import Target
from audit.vocabulary import EventType
from controlplane.actors import Actor
from controlplane.errors import ControlPlaneError, InvalidInput, NotFound, PermissionDenied
from controlplane.rest import errors

logger = logging.getLogger("django.request")

CONTENT_TYPE = "application/problem+json"
#: Fields at fault that one answer names.
MAX_FIELDS = 50
#: Characters of what it says of each.
MAX_SENTENCE = 1_000

#: What the framework or Django raise -> what we call it.
TRANSLATIONS: tuple[tuple[type[Exception], type[ControlPlaneError]], ...] = (
    (exceptions.NotAuthenticated, NotAuthenticated),
    (exceptions.AuthenticationFailed, NotAuthenticated),
    (exceptions.PermissionDenied, PermissionDenied),
    (DjangoPermissionDenied, PermissionDenied),
    (exceptions.NotFound, NotFound),
    (Http404, NotFound),
    (exceptions.MethodNotAllowed, errors.MethodNotAllowed),
    (exceptions.NotAcceptable, errors.NotAcceptable),
    (exceptions.UnsupportedMediaType, errors.UnsupportedMediaType),
    (exceptions.Throttled, errors.RateLimited),
    (exceptions.ParseError, errors.MalformedJson),
    (BadRequest, InvalidInput),
    (SuspiciousOperation, InvalidInput),
)


def answer(error: Exception, context: Mapping[str, Any]) -> Response:
    """The answer to an exception raised anywhere in a view of the API."""
    request: Request = context["request"]
    problems = list(_field_problems(error))
    refusal = _refusal(error, problems)
    if type(refusal) is ControlPlaneError:
        logger.error("%s %s", request.method, request.path, exc_info=error)
    if isinstance(refusal, PermissionDenied):
        _record_denial(request, refusal)
    body = problem(refusal, request)
    if problems:
        body["errors"] = problems
    response = Response(body, status=refusal.http_status, content_type=CONTENT_TYPE)
    if refusal.http_status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = "Bearer"
    wait = getattr(error, "wait", None)
    if wait is not None:
        response.headers["Retry-After"] = str(int(wait) + 1)
    return response


def problem(error: ControlPlaneError, request: HttpRequest | Request) -> dict[str, Any]:
    """The members of an answer."""
    body: dict[str, Any] = {
        "type": f"urn:controlplane:problem:{error.code.lower()}",
        "title": HTTPStatus(error.http_status).phrase,
        "status": error.http_status,
        "code": error.code,
        "detail": _sendable(error.message),
        "field": _sendable(error.field),
        "request_id": origin_of(request).request_id,
    }
    limit = getattr(error, "limit", None)
    return body if limit is None else {**body, "limit": limit}


def _refusal(error: Exception, problems: list[dict[str, str]]) -> ControlPlaneError:
    if isinstance(error, ControlPlaneError):
        return error
    if problems:
        first = problems[0]
        return InvalidInput(f"{first['field'] or 'body'}: {first['detail']}", field=first["field"])
    for theirs, ours in TRANSLATIONS:
        if isinstance(error, theirs):
            return ours()
    return ControlPlaneError()


def _field_problems(error: Exception) -> Iterator[dict[str, str]]:
    if isinstance(error, exceptions.ValidationError):
        for number, (field, detail) in enumerate(_flat(error.detail, "")):
            if number < MAX_FIELDS:
                yield {"field": _sendable(field), "detail": _sendable(detail)}


def _flat(detail: Any, path: str) -> Iterator[tuple[str, str]]:
    """Pairs of a field's path (`items.3.id`) and what is wrong with it."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            own = "" if name == "non_field_errors" else str(name)
            yield from _flat(inner, f"{path}.{own}".strip("."))
    elif isinstance(detail, list):
        for number, inner in enumerate(detail):
            place = f"{path}.{number}" if isinstance(inner, dict) else path
            if inner:
                yield from _flat(inner, place)
    else:
        yield path, str(detail)


def _sendable(text: str) -> str:
    """What was sent may stand in a sentence: cut if long, and without halves of surrogate pairs."""
    cut = text if len(text) <= MAX_SENTENCE else f"{text[:MAX_SENTENCE]}…"
    return cut.encode(errors="replace").decode()


def _record_denial(request: Request, refusal: PermissionDenied) -> None:
    facts = {"method": request.method, "code": refusal.code}
    actor = getattr(request.auth, "actor", None) or Actor(
        id=None,
        label="anonymous",
        origin=origin_of(request),
    )
    target = Target("page", None, request.path)
    recorder.record(EventType.ACCESS_DENIED, target, actor=actor, metadata=facts)
