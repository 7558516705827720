"""What can go wrong with people, on top of the kernel's errors."""

from controlplane.errors import Conflict, ControlPlaneError, PermissionDenied


class BadCredentials(ControlPlaneError):
    """The e-mail address or the password is wrong."""

    code = "BAD_CREDENTIALS"
    http_status = 401


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
