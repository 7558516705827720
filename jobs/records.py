"""What goes through the queue's statements: jobs to insert, claims, starts, completions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple


class NewJob(NamedTuple):
    """A job to insert, validated already; args and kwargs are JSON text."""

    task: str
    queue: str
    priority: int
    args: str
    kwargs: str
    max_attempts: int
    timeout_seconds: float | None
    owner_id: int | None
    trigger: str
    trigger_id: int | None
    unique_key: str | None
    overlap_key: str | None
    idempotency_key: str | None
    run_after: Any
    isolated: bool
    waits_for_key: str | None = None


class Place(NamedTuple):
    """A place in the line of one queue: behind the job that stood there."""

    priority: int
    queued_at: datetime
    job_id: int


@dataclass(slots=True)
class Claimed:
    """A job this worker holds, with its execution; args and kwargs are JSON text."""

    execution_id: int
    job_id: int
    number: int
    task: str
    queue: str
    priority: int
    queued_at: datetime
    args: str
    kwargs: str
    attempts_charged: int
    max_attempts: int
    timeout_seconds: float | None
    suspect: bool
    #: It holds an overlap key.
    keyed: bool

    @property
    def rank(self) -> tuple[int, datetime, int]:
        """Sorts as the claim does: higher priority, then longer waiting, then lower id."""
        return (-self.priority, self.queued_at, self.job_id)

    @property
    def place(self) -> Place:
        """Where the next claim may begin."""
        return Place(self.priority, self.queued_at, self.job_id)


class Succeeded(NamedTuple):
    """A completion to report; times in epoch seconds of the database's clock, result as JSON text
    or None.
    """

    execution_id: int
    job_id: int
    started: float
    finished: float
    result: str | None
    #: Its job may hold an overlap key, to be let go together with the completion.
    keyed: bool = True


class Start(NamedTuple):
    """An attempt that has begun; `started` in epoch seconds of the database's clock."""

    execution_id: int
    job_id: int
    task: str
    number: int
    started: float
    alone: bool
