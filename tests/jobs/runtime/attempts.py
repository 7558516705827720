"""Attempts for tests of the runtime, made without a database."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from typing import Any

from jobs.queue import Claimed, Succeeded
from jobs.runtime.attempt import Attempt
from jobs.runtime.clock import DatabaseClock
from jobs.settlement import Ending

SAMPLE = "tests.sample_app.tasks"

_ids = count(1000)

#: A clock that has never asked the database: its epoch is this machine's monotonic zero.
CLOCK = DatabaseClock()


def claimed(task: str = "noop", *args: Any, **fields: Any) -> Claimed:
    """A claim of a sample task with these arguments; `fields` are those of Claimed."""
    job_id = fields.get("job_id", next(_ids))
    defaults: dict[str, Any] = {
        "execution_id": job_id + 1_000_000,
        "job_id": job_id,
        "number": 1,
        "task": task if "." in task else f"{SAMPLE}.{task}",
        "queue": "default",
        "priority": 0,
        "queued_at": datetime(2026, 1, 1, tzinfo=UTC),
        "args": json.dumps(args),
        "kwargs": json.dumps(fields.pop("kwargs", {})),
        "attempts_charged": 0,
        "max_attempts": 4,
        "timeout_seconds": None,
        "suspect": False,
        "keyed": False,
    }
    return Claimed(**(defaults | fields))


def attempt(task: str = "noop", *args: Any, **fields: Any) -> Attempt:
    return Attempt(claimed=claimed(task, *args, **fields), place=0)


def log_of(attempt: Attempt) -> list[tuple[str, str]]:
    """What the attempt has logged and printed: (stream, text) of each chunk."""
    return [(chunk.stream, chunk.text) for chunk in attempt.open_log().take()]


class FakeReporter:
    """Keeps how attempts ended instead of writing it."""

    def __init__(self) -> None:
        self.ends: list[tuple[Attempt, Succeeded | Ending | None]] = []

    def finished(self, attempt: Attempt, end: Succeeded | Ending | None) -> None:
        self.ends.append((attempt, end))

    def end_of(self, attempt: Attempt) -> Callable[[], Any]:
        """For `wait_until`: how this attempt ended, once it has."""
        return lambda: next((end for ended, end in self.ends if ended is attempt), None)

    def start_of(self, attempt: Attempt) -> Attempt:
        return attempt
