"""The one family of errors that users may see: each carries a stable code, an HTTP status and a
sentence.
"""

from typing import ClassVar


class ControlPlaneError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "error"
    http_status: ClassVar[int] = 500

    def __init__(self, message: str = "", *, field: str = "") -> None:
        """`field` names the input at fault, when one is; the class's docstring is the default
        message.
        """
        self.message = message or (type(self).__doc__ or "").strip().splitlines()[0]
        self.field = field
        super().__init__(self.message)


class InvalidInput(ControlPlaneError):
    """The input is not valid."""

    code = "INVALID_INPUT"
    http_status = 400


class PermissionDenied(ControlPlaneError):
    """You are not allowed to do this."""

    code = "PERMISSION_DENIED"
    http_status = 403


class NotFound(ControlPlaneError):
    """No such thing, or none that you may see."""

    code = "NOT_FOUND"
    http_status = 404


class Conflict(ControlPlaneError):
    """The present state does not allow this."""

    code = "CONFLICT"
    http_status = 409


class Misconfigured(ControlPlaneError):
    """A setting stands in the way; the message names it."""

    code = "MISCONFIGURED"
    http_status = 500
