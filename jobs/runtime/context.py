"""What a running task can see and say: Django's TaskContext, and more."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.tasks import TaskContext, TaskResult, TaskResultStatus

from jobs.runtime.failure import safe
from jobs.runtime.log_capture import ExecutionLog

task_logger = logging.getLogger("controlplane.task")


#: Guards the making of a stop signal's event.
_making = threading.Lock()


class StopSignal:
    """Asks an attempt to stop, once, with a reason: "cancel", "timeout" or "shutdown".

    Its event is made by the first one who waits: most attempts end without anybody waiting. `set`
    takes no lock, so a signal handler may call it.
    """

    __slots__ = ("_event", "_is_set", "reason", "since")

    def __init__(self) -> None:
        self._is_set = False
        self._event: threading.Event | None = None
        self.reason = ""
        #: When it was set, `time.monotonic()` seconds; endless before.
        self.since = float("inf")

    def set(self, reason: str) -> None:
        """The first reason stands."""
        if not self._is_set:
            self.reason = reason
            self.since = time.monotonic()
            self._is_set = True
            if self._event is not None:
                self._event.set()

    def is_set(self) -> bool:
        return self._is_set

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the attempt should stop, at most so long; return whether it should."""
        with _making:
            event = self._event = self._event or threading.Event()
        # Looked at after the event is there to be set: whoever sets it now finds it.
        return self._is_set or event.wait(seconds)


@dataclass(slots=True)
class Progress:
    done: float
    total: float | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobContext(TaskContext):  # type: ignore[misc]  # frozen too; the stubs do not say so
    """The first argument of a task declared with takes_context=True."""

    job_id: int
    execution_id: int
    number: int
    output: ExecutionLog
    stop_requested: StopSignal = field(default_factory=StopSignal)
    #: When the attempt's time is up, `time.monotonic()` seconds; None: no limit.
    deadline: float | None = None
    report_progress: Callable[[Progress], None] = lambda progress: None
    #: Registers a process group with the keeper while it is entered.
    tracker: Callable[[int], AbstractContextManager[None]] = lambda pgid: nullcontext()

    @property
    def attempt(self) -> int:
        """The number of this attempt, 1 for the first."""
        return self.number

    @property
    def cancelled(self) -> bool:
        """The task should stop: cancelled, out of time, or the executor is shutting down."""
        return self.stop_requested.is_set()

    @property
    def stop_reason(self) -> str:
        """Why it should stop: "cancel", "timeout" or "shutdown"; empty while it need not."""
        return self.stop_requested.reason

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        """Show how far the attempt is. Cheap: the newest is stored about once a second.

        Raises ValueError for numbers that are not finite.
        """
        progress = Progress(
            float(done), None if total is None else float(total), safe(str(message), 255)
        )
        if not math.isfinite(progress.done + (progress.total or 0.0)):
            raise ValueError("progress takes finite numbers.")
        self.report_progress(progress)

    def log(self, message: str, level: int = logging.INFO) -> None:
        """Write a line into the execution's log."""
        task_logger.log(level, "%s", message)

    def write_output(self, stream: str, data: bytes | str) -> None:
        """Append raw output to the execution's log; `stream` is "stdout" or "stderr"."""
        self.output.write(stream, data)

    def track_process_group(self, pid: int) -> AbstractContextManager[None]:
        """While entered, this process group is killed should the executor itself be killed."""
        return self.tracker(pid)


def task_result(
    task: Any,
    *,
    job_id: int,
    args: list[Any],
    kwargs: dict[str, Any],
    started: datetime,
    worker_id: int,
) -> TaskResult:
    """Django's view of the attempt that begins now."""
    return TaskResult(
        task=task,
        id=str(job_id),
        status=TaskResultStatus.RUNNING,
        enqueued_at=None,
        started_at=started,
        finished_at=None,
        last_attempted_at=started,
        args=args,
        kwargs=kwargs,
        backend=task.backend,
        errors=[],
        worker_ids=[str(worker_id)],
    )


def detached_context(task: Any, **fields: Any) -> JobContext:
    """A context outside any executor, for tests of tasks; see its `output`."""
    result = task_result(
        task, job_id=0, args=[], kwargs={}, started=datetime.now().astimezone(), worker_id=0
    )
    defaults: dict[str, Any] = {
        "task_result": result,
        "job_id": 0,
        "execution_id": 0,
        "number": 1,
        "output": ExecutionLog(4_000_000),
    }
    return JobContext(**(defaults | fields))


@contextmanager
def tracked(enter: Callable[[int], int], leave: Callable[[int], None], pgid: int) -> Iterator[None]:
    """Register a process group for as long as the block runs."""
    place = enter(pgid)
    try:
        yield
    finally:
        leave(place)
