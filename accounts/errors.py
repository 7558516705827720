"""What can go wrong with people, on top of the kernel's errors."""

from controlplane.errors import Conflict, ControlPlaneError, PermissionDenied


class BadCredentials(ControlPlaneError):
    """The e-mail address or the password is wrong."""

    code = "BAD_CREDENTIALS"
    http_status = 401


class NotAuthenticated(ControlPlaneError):
    """Send an access token or a personal token: Authorization: Bearer <token>."""

    code = "NOT_AUTHENTICATED"
    http_status = 401


class InvalidToken(ControlPlaneError):
    """This token is not valid, or not any more."""

    code = "INVALID_TOKEN"
    http_status = 401


class TokenExpired(ControlPlaneError):
    """This token has expired."""

    code = "TOKEN_EXPIRED"
    http_status = 401


class InvalidRefreshToken(ControlPlaneError):
    """This refresh token is not valid, or not any more. Log in again."""

    code = "INVALID_REFRESH_TOKEN"
    http_status = 401


class RefreshTokenReused(ControlPlaneError):
    """This refresh token was used before, so its session has ended. Log in again."""

    code = "REFRESH_TOKEN_REUSED"
    http_status = 401


class TooManyAttempts(ControlPlaneError):
    """There were too many failed logins. Try again later."""

    code = "TOO_MANY_ATTEMPTS"
    http_status = 429


class AccountLocked(ControlPlaneError):
    """This account is locked. An administrator can unlock it."""

    code = "ACCOUNT_LOCKED"
    http_status = 403


class AccountDisabled(ControlPlaneError):
    """This account is disabled."""

    code = "ACCOUNT_DISABLED"
    http_status = 403


class EmailTaken(Conflict):
    """There is an account with this e-mail address already."""

    code = "EMAIL_TAKEN"


class OwnAccount(PermissionDenied):
    """Nobody changes their own role or status."""

    code = "OWN_ACCOUNT"


class ReadOnlyToken(PermissionDenied):
    """This personal token may only read."""

    code = "TOKEN_READ_ONLY"


class LoginNeeded(PermissionDenied):
    """A personal token cannot do this; use the access token of a login."""

    code = "LOGIN_NEEDED"
