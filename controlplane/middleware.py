"""What every request passes through: where it came from, and domain errors turned into pages."""

import ipaddress
import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.authentication import actor_of
from audit import recorder
from audit.recorder import Target
from audit.vocabulary import EventType
from controlplane.actors import Origin
from controlplane.errors import ControlPlaneError, PermissionDenied

type GetResponse = Callable[[HttpRequest], HttpResponse]


class RequestOriginMiddleware:
    """Put `request.origin` (address, agent, request id) where actors take it from."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        origin = Origin(
            ip=_address(request.META.get("REMOTE_ADDR", "")),
            user_agent=request.headers.get("User-Agent", "")[:255],
            request_id=secrets.token_hex(8),
        )
        request.origin = origin  # type: ignore[attr-defined]  # our own attribute
        response = self.get_response(request)
        response.headers["X-Request-ID"] = origin.request_id
        return response


class DomainErrorMiddleware:
    """Answer a domain error with the page for its status; nothing else is caught here.

    htmx gets the notice alone. What a person was not allowed to do is recorded; the view's
    transaction is over by then, so the record stays.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, ControlPlaneError):
            return None
        if isinstance(error, PermissionDenied):
            _record_denial(request, error)
        template = "error.html#notice" if request.htmx else "error.html"  # type: ignore[attr-defined]
        context = {"error": error, "title": error.message}
        return render(request, template, context, status=error.http_status)


def _record_denial(request: HttpRequest, error: PermissionDenied) -> None:
    facts = {"method": request.method, "code": error.code}
    target = Target("page", None, request.path)
    recorder.record(EventType.ACCESS_DENIED, target, actor=actor_of(request), metadata=facts)


def _address(raw: str) -> str:
    """The peer's address if it is one; behind a Unix socket there is none.

    A link-local one may carry its interface, which PostgreSQL does not take.
    """
    try:
        return str(ipaddress.ip_address(raw.partition("%")[0]))
    except ValueError:
        return ""
