"""One attempt at a job, as named steps. The same in a thread of the executor and in a child
process.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connections, transaction
from django.tasks import TaskContext, TaskResult, TaskResultStatus
from django.tasks.base import TaskError
from django.tasks.signals import task_finished, task_started

from controlplane import conf
from controlplane.actors import SYSTEM
from jobs import queue, registry
from jobs.backend import ControlPlaneBackend
from jobs.errors import TaskNotFound
from jobs.lifecycle import Outcome
from jobs.queue import Claimed, Succeeded
from jobs.runtime.clock import DatabaseClock
from jobs.runtime.context import JobContext, Progress, StopSignal, task_result
from jobs.runtime.failure import ending_of, texts_of
from jobs.runtime.log_capture import ExecutionLog, current_log
from jobs.settlement import Ending, Fate
from jobs.validation import bind_arguments, json_text

signals_logger = logging.getLogger("django.tasks")

#: Receivers that Django itself connects; they only log.
_DJANGO_RECEIVERS = 1


#: Guards `Attempt.ended`: a thread may finish just when the main thread gives up on it.
_ending = threading.Lock()
#: Guards the making of `Attempt.output`: a task's own threads may log at once.
_opening = threading.Lock()
#: As json.loads, for text that PostgreSQL wrote: without a look for white space around it.
_decoded = json.JSONDecoder().raw_decode


class LeaseLost(Exception):
    """The attempt is not this executor's any more: whatever it did in its transaction is rolled
    back.
    """


class Settled(Exception):
    """The completion is written already; there is nothing left to report."""


@dataclass(slots=True)
class Attempt:
    """A claimed job on its way through this process."""

    claimed: Claimed
    #: Its place in the ledger that the keeper reads.
    place: int = -1
    stop: StopSignal = field(default_factory=StopSignal)
    output: ExecutionLog | None = None
    #: `time.monotonic()` of its first line; 0 before.
    started: float = 0.0
    deadline: float | None = None
    alone: bool = False
    #: JOB_STARTED is in the database.
    start_reported: bool = False
    #: Its thread did not stop in time; what it still returns is dropped.
    abandoned: bool = False
    #: How it ended is on its way to the database: by itself, or because somebody gave up on it.
    ended: bool = False
    progress: Progress | None = None
    tracker: Callable[[int], AbstractContextManager[None]] = lambda pgid: nullcontext()
    #: Where progress goes when this process is not the one that stores it.
    send_progress: Callable[[Progress], None] | None = None

    def end(self) -> bool:
        """Take the one right to say how it ended; False when that was said already."""
        with _ending:
            first, self.ended = not self.ended, True
            return first

    def open_log(self) -> ExecutionLog:
        """The buffer of what it logs, made at first use: most attempts log nothing."""
        if self.output is None:
            with _opening:
                self.output = self.output or ExecutionLog(conf.options().max_log_bytes)
        return self.output

    def write(self, stream: str, data: str | bytes) -> None:
        """Append to its log."""
        self.open_log().write(stream, data)

    def set_progress(self, progress: Progress) -> None:
        """Keep the newest progress for the reporter, or pass it on."""
        if self.send_progress is not None:
            self.send_progress(progress)
        else:
            self.progress = progress


def timeout_of(claimed: Claimed, task: Any) -> float | None:
    """Seconds the attempt may take: the job's own limit, else its task's, else none."""
    own = claimed.timeout_seconds
    return own if own is not None else getattr(task, "timeout", None)


def run(attempt: Attempt, task: Any, *, worker_id: int, clock: DatabaseClock) -> Succeeded | Ending:
    """Run the task to its end, whatever that is; raises nothing but Settled.

    Raises Settled when a transactional task wrote its completion with its own effects.
    """
    claimed = attempt.claimed
    token = current_log.set(attempt)
    result: TaskResult | None = None
    try:
        args, kwargs = _decoded(claimed.args)[0], _decoded(claimed.kwargs)[0]
        if task.takes_context or _signals_are_heard():
            result = task_result(
                task,
                job_id=claimed.job_id,
                args=args,
                kwargs=kwargs,
                started=clock.moment(attempt.started),
                worker_id=worker_id,
            )
            task_started.send(sender=ControlPlaneBackend, task_result=result)
        _admit(task, args, kwargs)
        call = _transactional if getattr(task, "transactional", False) else _plain
        outcome = call(attempt, task, args, kwargs, result, worker_id, clock)
    except Settled:
        _finish_signal(result, None)
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a task raises is an outcome, SystemExit too
        _finish_signal(result, error)
        return ending_of(
            error,
            task=task,
            charged_before=claimed.attempts_charged,
            stop_reason=attempt.stop.reason,
            started=clock.moment(attempt.started),
            finished=clock.moment(time.monotonic()),
        )
    finally:
        current_log.reset(token)
        _release_connections()
    _finish_signal(result, None)
    return outcome


def _admit(task: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Look again at what was checked when the job was enqueued: code and settings may have changed
    since.
    """
    guard = getattr(task, "guard", None)
    if guard is not None:
        guard(bind_arguments(task, args, kwargs), SYSTEM)


def _plain(
    attempt: Attempt,
    task: Any,
    args: list[Any],
    kwargs: dict[str, Any],
    result: TaskResult | None,
    worker_id: int,
    clock: DatabaseClock,
) -> Succeeded:
    value = _call(attempt, task, args, kwargs, result)
    return _succeeded(attempt, value, result, clock)


def _transactional(
    attempt: Attempt,
    task: Any,
    args: list[Any],
    kwargs: dict[str, Any],
    result: TaskResult | None,
    worker_id: int,
    clock: DatabaseClock,
) -> Succeeded:
    """The task's writes and its completion in one transaction; no row of the queue is locked before
    it returns.
    """
    with transaction.atomic():
        value = _call(attempt, task, args, kwargs, result)
        completion = _succeeded(attempt, value, result, clock)
        if queue.report_succeeded(worker_id, [completion], record_late=False):
            raise LeaseLost("The lease was lost; the task's writes were rolled back.")
    raise Settled


def _call(
    attempt: Attempt, task: Any, args: list[Any], kwargs: dict[str, Any], result: TaskResult | None
) -> Any:
    me = os.getpid()
    try:
        if not task.takes_context:
            return task.call(*args, **kwargs)
        assert result is not None  # noqa: S101 - run() builds it for every task that takes a context
        return task.call(_context(attempt, result), *args, **kwargs)
    finally:
        if os.getpid() != me:
            # The task forked and this is its child. Nothing here is its own: the connections, the
            # transaction, the result are its parent's.
            os._exit(0)


def _context(attempt: Attempt, result: TaskResult) -> TaskContext:
    claimed = attempt.claimed
    return JobContext(
        task_result=result,
        job_id=claimed.job_id,
        execution_id=claimed.execution_id,
        number=claimed.number,
        output=attempt.open_log(),
        stop_requested=attempt.stop,
        deadline=attempt.deadline,
        report_progress=attempt.set_progress,
        tracker=attempt.tracker,
    )


def _succeeded(
    attempt: Attempt, value: Any, result: TaskResult | None, clock: DatabaseClock
) -> Succeeded:
    text = None if value is None else json_text(value, field="result")
    if result is not None:
        object.__setattr__(result, "_return_value", value)
    return Succeeded(
        execution_id=attempt.claimed.execution_id,
        job_id=attempt.claimed.job_id,
        started=clock.at(attempt.started),
        finished=clock.at(time.monotonic()),
        result=text,
        keyed=attempt.claimed.keyed,
    )


def _signals_are_heard() -> bool:
    """Whether anybody but Django's own log listens: a TaskResult for nobody is work."""
    listeners = len(task_started.receivers) + len(task_finished.receivers)
    return listeners > 2 * _DJANGO_RECEIVERS or signals_logger.isEnabledFor(logging.INFO)


def _finish_signal(result: TaskResult | None, error: BaseException | None) -> None:
    if result is None:
        return
    status = TaskResultStatus.SUCCESSFUL if error is None else TaskResultStatus.FAILED
    object.__setattr__(result, "status", status)
    if error is not None:
        texts = texts_of(error, Outcome.FAILED)
        result.errors.append(
            TaskError(exception_class_path=texts["error_class"], traceback=texts["traceback"])
        )
    task_finished.send_robust(sender=ControlPlaneBackend, task_result=result)


def _release_connections() -> None:
    """Leave the thread's connections as a web request would: no transaction open, broken ones
    closed.
    """
    for connection in connections.all(initialized_only=True):
        if connection.in_atomic_block:
            connection.close()
            # Or it would count as inside that transaction for ever.
            del connections[connection.alias]
        else:
            connection.close_if_unusable_or_obsolete()


def missing(error: TaskNotFound) -> Ending:
    """No live worker knows the task."""
    texts = texts_of(error, Outcome.FAILED)
    texts["error_code"] = "missing_task"
    texts["traceback"] = ""  # of our own look-up: it says nothing
    return Ending(
        outcome=Outcome.FAILED, fate=Fate.GIVE_UP, reason="missing_task", charged=False, **texts
    )


def broken(error: Exception) -> Ending:
    """The executor itself failed around the attempt."""
    texts = texts_of(error, Outcome.FAILED)
    texts["error_code"] = "executor_error"
    return Ending(outcome=Outcome.FAILED, fate=Fate.TRY_AGAIN, **texts)


def find_task(claimed: Claimed) -> Any:
    """The task of a claimed job. Raises TaskNotFound."""
    return registry.task_named(claimed.task)


def handed_back(message: str, code: str) -> Ending:
    """Claimed but not begun: not charged."""
    return Ending(
        outcome=Outcome.INTERRUPTED,
        fate=Fate.HAND_BACK,
        charged=False,
        error_code=code,
        error_message=message,
    )


def cut_short(
    attempt: Attempt, clock: DatabaseClock, *, outcome: Outcome, code: str, message: str
) -> Ending:
    """The executor ends an attempt that did not end by itself."""
    return Ending(
        outcome=outcome,
        fate=Fate.TRY_AGAIN,
        started_at=_moment(attempt, clock),
        finished_at=clock.moment(time.monotonic()),
        error_code=code,
        error_message=message,
        alone=attempt.alone,
    )


def _moment(attempt: Attempt, clock: DatabaseClock) -> datetime | None:
    return clock.moment(attempt.started) if attempt.started else None
