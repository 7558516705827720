"""What an exception means for its attempt: outcome, retry, and the texts that are kept."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypedDict

from controlplane import conf
from jobs.errors import PermanentFailure, Snooze, TaskCancelled, TaskTimedOut, error_code
from jobs.lifecycle import Outcome
from jobs.retry import Backoff
from jobs.settlement import Ending, Fate

#: Frames of a traceback kept; a recursion that went wild repeats itself in the middle.
MAX_FRAMES = 100
#: What a cut text ends with.
CUT = "… (cut)"


class ErrorTexts(TypedDict):
    """What an execution keeps of an error; the names are those of its columns."""

    error_code: str
    error_class: str
    error_message: str
    traceback: str


def ending_of(
    error: BaseException,
    *,
    task: Any,
    charged_before: int,
    stop_reason: str,
    started: datetime,
    finished: datetime,
) -> Ending:
    """The end of an attempt that raised. Whatever the exception does when printed, this returns."""
    if isinstance(error, Snooze):
        return Ending(
            outcome=Outcome.INTERRUPTED,
            fate=Fate.SNOOZE,
            charged=False,
            started_at=started,
            finished_at=finished,
            error_code="snoozed",
            snooze_delay=error.delay,
            snooze_until=error.until,
        )
    outcome = _outcome(error, stop_reason)
    permanent = _is_permanent(error, task) and outcome is Outcome.FAILED
    return Ending(
        outcome=outcome,
        fate=Fate.GIVE_UP if permanent else Fate.TRY_AGAIN,
        reason=(error_code(error) or "not_retryable") if permanent else "",
        started_at=started,
        finished_at=finished,
        retry_delay=retry_delay(task, charged_before + 1, error),
        **texts_of(error, outcome, stop_reason),
    )


def _outcome(error: BaseException, stop_reason: str) -> Outcome:
    if isinstance(error, TaskTimedOut) or (
        isinstance(error, TaskCancelled) and stop_reason == "timeout"
    ):
        return Outcome.TIMED_OUT
    if isinstance(error, TaskCancelled):
        return Outcome.INTERRUPTED if stop_reason == "shutdown" else Outcome.CANCELLED
    return Outcome.FAILED


def _is_permanent(error: BaseException, task: Any) -> bool:
    if isinstance(error, (PermanentFailure, *getattr(task, "never_retry", ()))):
        return True
    retry_on = getattr(task, "retry_on", None)
    return retry_on is not None and not isinstance(error, tuple(retry_on))


def retry_delay(task: Any, attempt: int, error: BaseException | None = None) -> float | None:
    """Seconds until the next attempt by the task's own policy; None: the project's default."""
    delays: Mapping[type[BaseException], float] = getattr(task, "retry_delays", None) or {}
    for kind, seconds in delays.items():
        if error is not None and isinstance(error, kind):
            return float(seconds)
    backoff = getattr(task, "backoff", None)
    if backoff is None:
        return None
    if not isinstance(backoff, Backoff):
        backoff = Backoff(float(backoff), max(float(backoff), conf.options().backoff_cap_seconds))
    return backoff.delay(attempt)


def texts_of(error: BaseException, outcome: Outcome, stop_reason: str = "") -> ErrorTexts:
    """Code, class, message and traceback of an error, safe to store and of bounded size."""
    options = conf.options()
    kind = type(error)
    code = error_code(error) or (
        stop_reason or outcome.lower() if outcome is not Outcome.FAILED else ""
    )
    return {
        "error_code": code or "exception",
        "error_class": safe(f"{kind.__module__}.{kind.__qualname__}", 255),
        "error_message": safe(_printed(error), options.max_error_chars),
        "traceback": safe(_traceback(error), options.max_traceback_chars),
    }


def _printed(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as second:  # noqa: BLE001 - its __str__ is the task's code, anything can happen
        return f"(its message cannot be printed: {type(second).__name__})"


def _traceback(error: BaseException) -> str:
    try:
        report = traceback.TracebackException.from_exception(error, limit=-MAX_FRAMES, compact=True)
        return "".join(report.format())
    except Exception as second:  # noqa: BLE001 - as above: chains and reprs are the task's code
        frames = traceback.extract_tb(error.__traceback__, limit=-MAX_FRAMES)
        return (
            "".join(traceback.format_list(frames))
            + f"(traceback incomplete: {type(second).__name__})"
        )


def safe(text: str, limit: int) -> str:
    """Text that PostgreSQL stores: no NUL, no lone surrogates, cut at `limit` characters with a
    mark.
    """
    text = text.replace("\x00", "\\x00")
    if len(text) > limit:
        text = text[: limit - len(CUT)] + CUT
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
