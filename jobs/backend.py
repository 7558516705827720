"""Our backend for Django's task interface, and the options it adds to `@task`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from string import Formatter
from typing import Any, Literal

from django.core.checks import CheckMessage
from django.tasks import Task, TaskResult, TaskResultStatus
from django.tasks.backends.base import BaseTaskBackend
from django.tasks.exceptions import InvalidTask, TaskResultDoesNotExist
from django.tasks.signals import task_enqueued
from django.utils import timezone

from controlplane.actors import SYSTEM, Actor
from jobs import registry
from jobs.actions.enqueue import JobRequest, enqueue_request
from jobs.results import result_of
from jobs.retry import Backoff

#: An id as we write it; Python refuses to read much longer numbers.
JOB_ID = re.compile("[1-9][0-9]{0,18}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTask(Task):
    """A task with what Django's interface leaves open."""

    #: Attempts in all, the first one included: 1 to 21. None: the project's default.
    max_attempts: int | None = None
    #: Delays between attempts: a Backoff, or the first delay in seconds. None: the project's
    #: default.
    backoff: Backoff | float | None = None
    #: Seconds an attempt may take. None: no limit.
    timeout: float | None = None
    #: "thread" suits I/O. "process" can be killed: hard timeouts, memory, crashes, CPU-bound work.
    isolation: Literal["thread", "process"] = "thread"
    #: At most one unfinished job per key: a template over the arguments, such as
    #: "import:{customer_id}".
    unique_key: str | None = None
    #: Run inside one transaction that also holds the completion: effects in this database happen
    #: once.
    transactional: bool = False
    #: Names of arguments that pages and logs must not show.
    sensitive: tuple[str, ...] = ()
    #: Errors that are retried; None: all.
    retry_on: tuple[type[BaseException], ...] | None = None
    #: Errors that are never retried, whatever `retry_on` says.
    never_retry: tuple[type[BaseException], ...] = ()
    #: Delay before the next attempt by error, seconds, in place of the back-off.
    retry_delays: Mapping[type[BaseException], float] | None = None
    #: Called with the arguments and the actor before a job is accepted; raises to refuse it.
    guard: Callable[[Mapping[str, Any], Actor], None] | None = None

    def using(self, **options: Any) -> JobTask:
        """A copy with other options; beyond Django's, any of the options above."""
        return replace(
            self, **{name: value for name, value in options.items() if value is not None}
        )


def _check_options(task: JobTask) -> None:
    """Raise InvalidTask for an option of ours that would only fail when a job of the task does."""
    attempts = task.max_attempts
    if attempts is not None and (not isinstance(attempts, int) or not 1 <= attempts <= 21):
        raise InvalidTask("max_attempts must be a whole number from 1 to 21.")
    if task.timeout is not None and not 0 < task.timeout < math.inf:
        raise InvalidTask("timeout must be more than 0 seconds.")
    if task.isolation not in ("thread", "process"):
        raise InvalidTask('isolation must be "thread" or "process".')
    delays = list((task.retry_delays or {}).values())
    if task.backoff is not None and not isinstance(task.backoff, Backoff):
        delays.append(task.backoff)
    if not all(0 <= delay < math.inf for delay in delays):
        raise InvalidTask("backoff and retry_delays must be 0 or more seconds.")
    if task.unique_key is not None:
        _check_template(task.unique_key)


def _check_template(template: str) -> None:
    try:
        list(Formatter().parse(template))
    except ValueError as error:
        raise InvalidTask(f"unique_key {template!r} is no template: {error}.") from None


class ControlPlaneBackend(BaseTaskBackend):
    """Enqueues into the jobs table, in the caller's transaction: rolled back, there is no job and
    no wake-up.
    """

    task_class = JobTask
    supports_defer = True
    supports_async_task = True
    supports_get_result = True
    supports_priority = True

    def validate_task(self, task: Task) -> None:
        """Raise InvalidTask for an option out of bounds; remember the task otherwise."""
        super().validate_task(task)
        if not 1 <= len(task.queue_name) <= 100:
            raise InvalidTask("queue_name must have 1 to 100 characters.")
        if isinstance(task, JobTask):
            _check_options(task)
        registry.note(task)

    def enqueue(self, task: Task, args: list[Any], kwargs: dict[str, Any]) -> TaskResult:
        """Raise InvalidArguments or InvalidJson, naming the argument, for what the task cannot
        take.
        """
        self.validate_task(task)
        request = JobRequest(task=task, args=args, kwargs=kwargs)
        enqueued = enqueue_request(request, actor=SYSTEM)
        if enqueued.created:
            result = self._fresh_result(task, enqueued.job_id, list(args), dict(kwargs))
        else:
            result = self.get_result(str(enqueued.job_id))
        task_enqueued.send(sender=type(self), task_result=result)
        return result

    def _fresh_result(
        self, task: Task, job_id: int, args: list[Any], kwargs: dict[str, Any]
    ) -> TaskResult:
        return TaskResult(
            task=task,
            id=str(job_id),
            status=TaskResultStatus.READY,
            enqueued_at=timezone.now(),
            started_at=None,
            finished_at=None,
            last_attempted_at=None,
            args=args,
            kwargs=kwargs,
            backend=self.alias,
            errors=[],
            worker_ids=[],
        )

    def get_result(self, result_id: str) -> TaskResult:
        """Raise TaskResultDoesNotExist for an unknown or malformed id."""
        if not (isinstance(result_id, str) and JOB_ID.fullmatch(result_id)):
            raise TaskResultDoesNotExist(result_id)
        result = result_of(int(result_id), backend=self.alias)
        if result is None:
            raise TaskResultDoesNotExist(result_id)
        return result

    def check(self, **kwargs: Any) -> list[CheckMessage]:
        return []
