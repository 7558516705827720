"""What can be wrong with a request before any app sees it."""

from controlplane.errors import ControlPlaneError, InvalidInput, NotFound


class MalformedJson(InvalidInput):
    """The body is not a JSON object."""

    code = "MALFORMED_JSON"


class UnknownRoute(NotFound):
    """The API has no such address. None of them ends with a slash."""

    code = "UNKNOWN_ROUTE"


class MethodNotAllowed(ControlPlaneError):
    """This address does not take this method."""

    code = "METHOD_NOT_ALLOWED"
    http_status = 405


class NotAcceptable(ControlPlaneError):
    """The API answers with application/json only."""

    code = "NOT_ACCEPTABLE"
    http_status = 406


class PayloadTooLarge(ControlPlaneError):
    """The body of the request is too large."""

    code = "PAYLOAD_TOO_LARGE"
    http_status = 413

    def __init__(self, message: str = "", *, field: str = "", limit: int | None = None) -> None:
        """`limit` is the largest size allowed, bytes."""
        super().__init__(message, field=field)
        self.limit = limit


class UnsupportedMediaType(ControlPlaneError):
    """Send the body as application/json."""

    code = "UNSUPPORTED_MEDIA_TYPE"
    http_status = 415


class RateLimited(ControlPlaneError):
    """Too many requests; the Retry-After header says when to go on."""

    code = "RATE_LIMITED"
    http_status = 429
