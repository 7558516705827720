"""Ask for a run of a task: one job, or tens of thousands in one call. In the caller's transaction,
if any.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.tasks import Task

from accounts.permissions import allows
from controlplane import conf
from controlplane.actors import Actor
from controlplane.errors import PermissionDenied
from jobs import queue, registry
from jobs.errors import IdempotencyConflict, InvalidArguments, KeyTaken
from jobs.models import Job, Trigger
from jobs.validation import bind_arguments, json_text, plain_text

#: A key's holder may end between the refused insert and the look at it; more tries than that mean a
#: bug.
KEY_TRIES = 5
#: What must be the same, beside the arguments, for an idempotency key to be used again. Its time is
#: left out: once it has come, the job does not tell it any more.
_COMPARED = ("task", "queue", "priority", "max_attempts", "timeout_seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRequest:
    """What to run and how. Options left None are the task's, or the project's defaults."""

    task: Task | str
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    queue: str | None = None
    priority: int | None = None
    run_after: datetime | None = None
    max_attempts: int | None = None
    timeout_seconds: float | None = None
    #: At most one unfinished job per key: enqueueing again gives the job that holds it.
    unique_key: str | None = None
    #: As unique_key, for schedules: the request is refused while it is held.
    overlap_key: str | None = None
    #: It is BLOCKED until no unfinished job holds this overlap key, which it then takes over: see
    #: behind.py, which locks the holder first.
    waits_for_key: str | None = None
    #: At most one job per owner and key, for ever; asking again with other content is an error.
    idempotency_key: str | None = None
    owner_id: int | None = None
    trigger: str = Trigger.CODE
    trigger_id: int | None = None


@dataclass(frozen=True, slots=True)
class Enqueued:
    """The job, and whether this call made it or found it by its key."""

    job_id: int
    created: bool


def enqueue_job(*, task: Task | str, actor: Actor, **options: Any) -> Enqueued:
    """Enqueue one job; `options` are those of JobRequest.

    Raises TaskNotFound, InvalidArguments, InvalidJson (naming the argument), PermissionDenied,
    KeyTaken (overlap key held) or IdempotencyConflict.
    """
    return enqueue_request(JobRequest(task=task, **options), actor=actor)


def enqueue_request(request: JobRequest, *, actor: Actor) -> Enqueued:
    """As `enqueue_job`."""
    row = _row(request, actor)
    (job_id,) = queue.insert([row])
    return Enqueued(job_id, created=True) if job_id is not None else _existing(row)


def enqueue_many(requests: Sequence[JobRequest], *, actor: Actor) -> list[Enqueued | None]:
    """Enqueue many jobs, all or none: bad input in one refuses them all.

    A request whose key is held gives the job that holds it, or None where only an overlap key is.
    """
    rows = [_row(request, actor) for request in requests]
    with transaction.atomic():
        ids = queue.insert(rows)
        held = _overlaps_held(row for row, id_ in zip(rows, ids, strict=True) if id_ is None)
        return [
            Enqueued(job_id, created=True) if job_id is not None else _existing_or_none(row, held)
            for row, job_id in zip(rows, ids, strict=True)
        ]


def _overlaps_held(refused: Iterable[queue.NewJob]) -> set[str | None]:
    """Which overlap keys unfinished jobs hold, of rows that have no other key: one look for all."""
    keys = {row.overlap_key for row in refused if not (row.unique_key or row.idempotency_key)}
    if not keys:
        return set()
    holders = Job.objects.unfinished().filter(overlap_key__in=keys)
    return set(holders.values_list("overlap_key", flat=True))


def _existing_or_none(row: queue.NewJob, held: Container[str | None]) -> Enqueued | None:
    if not (row.unique_key or row.idempotency_key) and row.overlap_key in held:
        return None
    try:
        return _existing(row)
    except KeyTaken:
        return None


def _existing(row: queue.NewJob) -> Enqueued:
    """The job in whose favour the row was refused; a new one, if that has ended meanwhile."""
    for _ in range(KEY_TRIES):
        holder = _holder(row)
        if holder is not None:
            return Enqueued(holder.id, created=False)
        (job_id,) = queue.insert([row])
        if job_id is not None:
            return Enqueued(job_id, created=True)
    raise KeyTaken


def _holder(row: queue.NewJob) -> Job | None:
    """The job that holds one of the row's keys, if it still does."""
    if row.idempotency_key is not None:
        found = Job.objects.filter(
            owner_id=row.owner_id, idempotency_key=row.idempotency_key
        ).first()
        if found is not None:
            return _same_content(found, row)
    if row.unique_key is not None:
        found = Job.objects.unfinished().filter(unique_key=row.unique_key).first()
        if found is not None:
            return found
    if row.overlap_key is not None:
        found = Job.objects.unfinished().filter(overlap_key=row.overlap_key).first()
        if found is not None:
            raise KeyTaken(f"Job {found.id} is still {found.status} under {row.overlap_key}.")
    return None


def _same_content(job: Job, row: queue.NewJob) -> Job:
    """Compared by the database, to which 1e23 and its digits are one number."""
    same = {column: getattr(row, column) for column in _COMPARED}
    stored = Job.objects.filter(id=job.id, **same)
    if not stored.filter(args=json.loads(row.args), kwargs=json.loads(row.kwargs)).exists():
        raise IdempotencyConflict(
            f"The idempotency key was used for job {job.id}, which has other content.",
            field="idempotency_key",
        )
    return job


def _row(request: JobRequest, actor: Actor) -> queue.NewJob:
    """Validate a request into a row to insert."""
    if not allows(actor, "jobs.act", owner_id=request.owner_id):
        raise PermissionDenied("You may only enqueue jobs of your own.")
    _check_shape(request)
    task = registry.task_named(request.task) if isinstance(request.task, str) else request.task
    arguments = bind_arguments(task, request.args, request.kwargs)
    guard = getattr(task, "guard", None)
    if guard is not None:
        guard(arguments, actor)
    return queue.NewJob(
        task=task.module_path,
        queue=plain_text(
            task.queue_name if request.queue is None else request.queue,
            field="queue",
            minimum=1,
            maximum=100,
        ),
        priority=_priority(request.priority, task),
        args=json_text(list(request.args), field="args"),
        kwargs=json_text(dict(request.kwargs), field="kwargs"),
        max_attempts=_max_attempts(request.max_attempts, task),
        timeout_seconds=_timeout(request.timeout_seconds),
        owner_id=request.owner_id,
        trigger=request.trigger,
        trigger_id=request.trigger_id,
        unique_key=_key(
            _unique_key(task, arguments) if request.unique_key is None else request.unique_key,
            "unique_key",
            255,
        ),
        overlap_key=_key(request.overlap_key, "overlap_key", 100),
        idempotency_key=_key(request.idempotency_key, "idempotency_key", 255),
        run_after=task.run_after if request.run_after is None else request.run_after,
        isolated=getattr(task, "isolation", "thread") == "process",
        waits_for_key=_key(request.waits_for_key, "waits_for_key", 100),
    )


def _check_shape(request: JobRequest) -> None:
    """What a caller without a type checker may get wrong."""
    if not isinstance(request.args, list | tuple):
        raise InvalidArguments("args must be a list.", field="args")
    if not isinstance(request.kwargs, Mapping):
        raise InvalidArguments("kwargs must be an object.", field="kwargs")
    due = request.run_after
    if due is not None and (not isinstance(due, datetime) or due.tzinfo is None):
        raise InvalidArguments("run_after must be a time with its zone.", field="run_after")


def _priority(asked: int | None, task: Task) -> int:
    priority = task.priority if asked is None else asked
    if isinstance(priority, bool) or not isinstance(priority, int) or not -100 <= priority <= 100:
        raise InvalidArguments(
            "priority must be a whole number from -100 to 100.", field="priority"
        )
    return priority


def _max_attempts(asked: int | None, task: Task) -> int:
    attempts = asked if asked is not None else getattr(task, "max_attempts", None)
    attempts = conf.options().default_max_attempts if attempts is None else attempts
    if isinstance(attempts, bool) or not isinstance(attempts, int) or not 1 <= attempts <= 21:
        raise InvalidArguments("max_attempts must be from 1 to 21.", field="max_attempts")
    return attempts


def _timeout(asked: float | None) -> float | None:
    if asked is None:
        return None
    number = isinstance(asked, int | float) and not isinstance(asked, bool)
    if not number or not 0 < asked <= 31 * 86_400:
        raise InvalidArguments(
            "timeout_seconds must be a number of seconds above 0, at most 31 days.",
            field="timeout_seconds",
        )
    return asked


def _key(key: str | None, field_name: str, maximum: int) -> str | None:
    return None if key is None else plain_text(key, field=field_name, minimum=1, maximum=maximum)


def _unique_key(task: Task, arguments: Mapping[str, Any]) -> str | None:
    """The task's template filled with its arguments, under the task's own name."""
    template: str | None = getattr(task, "unique_key", None)
    if template is None:
        return None
    parameters = inspect.signature(task.func).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    try:
        return f"{task.module_path}:{template.format(**{**defaults, **arguments})}"
    except (LookupError, AttributeError, ValueError, TypeError) as error:
        raise InvalidArguments(
            f"unique_key {template!r} of {task.name} cannot be filled in: {error!r}.",
            field="unique_key",
        ) from None
