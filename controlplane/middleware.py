"""What every request passes through: where it came from, and domain errors turned into pages."""

import ipaddress
import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from controlplane.actors import Origin
from controlplane.errors import ControlPlaneError

type GetResponse = Callable[[HttpRequest], HttpResponse]


class RequestOriginMiddleware:
    """Put `request.origin` (address, agent, request id) where actions find it for the audit trail."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.origin = Origin(  # type: ignore[attr-defined]  # our own attribute
            ip=_address(request.META.get("REMOTE_ADDR", "")),
            user_agent=request.headers.get("User-Agent", "")[:255].replace("\x00", ""),
            request_id=secrets.token_hex(8),
        )
        response = self.get_response(request)
        response.headers["X-Request-ID"] = request.origin.request_id  # type: ignore[attr-defined]
        return response


class DomainErrorMiddleware:
    """Answer a domain error with the page for its status; nothing else is caught here."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, error: Exception
    ) -> HttpResponse | None:
        if not isinstance(error, ControlPlaneError):
            return None
        context = {"error": error, "title": error.message}
        return render(request, "error.html", context, status=error.http_status)


def _address(raw: str) -> str:
    """The peer's address if it is one; behind a Unix socket there is none."""
    try:
        return str(ipaddress.ip_address(raw))
    except ValueError:
        return ""
