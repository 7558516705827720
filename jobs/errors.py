"""Errors about jobs: those that people see, and those that a task raises to say how its attempt
ended.
"""

from datetime import datetime, timedelta
from typing import Any

from controlplane.errors import Conflict, InvalidInput, NotFound


class TaskNotFound(NotFound):
    """No installed app has this task."""

    code = "TASK_NOT_FOUND"


class InvalidArguments(InvalidInput):
    """The arguments do not fit the task."""

    code = "INVALID_ARGUMENTS"


class InvalidJson(InvalidInput):
    """The value cannot be stored as JSON."""

    code = "INVALID_JSON"


class CannotCancel(Conflict):
    """The job has ended, so there is nothing to cancel."""

    code = "CANNOT_CANCEL"


class CannotRetry(Conflict):
    """Only a job in DEAD_LETTER can be retried."""

    code = "CANNOT_RETRY"


class InvalidTransition(Conflict):
    """The job's present state does not allow this."""

    code = "INVALID_TRANSITION"


class KeyTaken(Conflict):
    """Another unfinished job holds this key."""

    code = "KEY_TAKEN"


class IdempotencyConflict(Conflict):
    """This idempotency key was used for a job with other content."""

    code = "IDEMPOTENCY_CONFLICT"


class TaskSignal(Exception):
    """Base of what a task raises to end its attempt in a particular way. Do not raise it itself."""


class TaskCancelled(TaskSignal):
    """The task stopped because it was asked to."""


class TaskTimedOut(TaskSignal):
    """The task stopped because its time was up."""


class Snooze(TaskSignal):
    """Put the job back until a later time, without counting this attempt."""

    def __init__(self, *, seconds: float | None = None, until: datetime | None = None) -> None:
        """Give exactly one of a number of seconds from now and an aware time. Raises ValueError
        otherwise.
        """
        if (seconds is None) == (until is None):
            raise ValueError("Snooze takes either seconds or until.")
        if until is not None and until.tzinfo is None:
            raise ValueError("Snooze(until=...) must be an aware datetime.")
        self.delay = None if seconds is None else timedelta(seconds=max(0.0, seconds))
        self.until = until
        super().__init__("snoozed")


class PermanentFailure(Exception):
    """The task failed in a way that no retry can mend."""

    def __init__(self, message: str = "", *, code: str = "permanent_failure") -> None:
        self.code = code
        super().__init__(message)


def error_code(error: BaseException) -> str:
    """The stable code an exception carries, or an empty string, whatever the exception does."""
    try:
        code: Any = getattr(error, "code", "")
    except Exception:  # noqa: BLE001 - a property is the task's code, anything can happen
        return ""
    if not isinstance(code, str):
        return ""
    return code[:64].replace("\x00", "\ufffd").encode(errors="replace").decode()
