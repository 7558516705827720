"""Rows for tests. A job reaches its state the way real ones do: by the queue and the lifecycle.

Only `make_odd_execution` writes raw columns, for states that the product avoids.
"""

import json
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.db import connection
from django.db.models.functions import Now
from factory.declarations import Sequence
from factory.django import DjangoModelFactory, Password

from accounts.models import User
from audit import recorder
from controlplane.actors import SYSTEM
from jobs import lifecycle, queue, registry
from jobs.backend import JobTask
from jobs.lifecycle import Outcome, Status, Transition
from jobs.models import Job, JobExecution, Worker
from jobs.queue import NewJob, Start, Succeeded
from jobs.settlement import Ending, Fate

PASSWORD = "correct horse battery staple"

#: A queue that a job is put in for the moment of its claim, so that no other is taken.
ALONE = "claimed-by-a-factory"

#: How an attempt ends badly on the way to each state that this leads to.
ENDINGS: dict[Status, dict[str, Any]] = {
    Status.FAILED: {
        "outcome": Outcome.FAILED,
        "fate": Fate.TRY_AGAIN,
        "error_code": "FLAW",
        "error_class": "tests.sample_app.tasks.Flaw",
        "error_message": "as asked",
    },
    Status.DEAD_LETTER: {
        "outcome": Outcome.FAILED,
        "fate": Fate.GIVE_UP,
        "reason": "attempts_exhausted",
        "error_class": "tests.sample_app.tasks.Flaw",
        "error_message": "as asked",
    },
    Status.NEEDS_VERIFICATION: {
        "outcome": Outcome.INTERRUPTED,
        "fate": Fate.VERIFY,
        "reason": "unconfirmed_effect",
    },
}

#: States that a waiting job is moved to without an attempt.
WAITING: dict[Status, Transition] = {
    Status.BLOCKED: lifecycle.BLOCK,
    Status.CANCELLED: lifecycle.CANCEL,
}


class UserFactory(DjangoModelFactory[User]):
    class Meta:
        model = User

    email = Sequence(lambda number: f"person{number}@example.com")
    password = Password(PASSWORD)


class WorkerFactory(DjangoModelFactory[Worker]):
    class Meta:
        model = Worker

    kind = Worker.Kind.EXECUTOR
    host = "testhost"
    pid = Sequence(lambda number: 10_000 + number)
    slots = 4


def make_user(email: str = "", *roles: str) -> User:
    """A person with these roles (names of groups) and PASSWORD."""
    user = UserFactory.create(**({"email": email} if email else {}))
    user.groups.set([Group.objects.get_or_create(name=role)[0] for role in roles])
    return user


def make_worker(**columns: Any) -> Worker:
    return WorkerFactory.create(**columns)


def new_job(**columns: Any) -> NewJob:
    """A row for `queue.insert`, of the sample task `noop` unless told otherwise."""
    fields = {
        "task": "tests.sample_app.tasks.noop",
        "queue": "default",
        "priority": 0,
        "args": json.dumps(columns.pop("args", [])),
        "kwargs": json.dumps(columns.pop("kwargs", {})),
        "max_attempts": 4,
        "trigger": "code",
        "isolated": _needs_child(columns.get("task", "")),
    }
    if owner := columns.pop("owner", None):
        fields["owner_id"] = owner.pk
    return NewJob(**{**dict.fromkeys(NewJob._fields), **fields, **columns})


def _needs_child(task: str) -> bool:
    """As its task says; a path without a task is as good as any in a row."""
    known = registry.known_tasks().get(task)
    return isinstance(known, JobTask) and known.isolation == "process"


def make_jobs(count: int, **columns: Any) -> list[int]:
    """Ids of many new jobs, inserted together. `columns` are those of `new_job`."""
    return [id_ for id_ in queue.insert([new_job(**columns)] * count) if id_ is not None]


def make_job(status: str = Status.PENDING, *, worker: Worker | None = None, **columns: Any) -> Job:
    """A job in this state, with the executions and audit events that brought it there.

    `columns` that a new job has are given to it; any others (`created_at`, `suspect` ...) are
    written at the end, as is `run_after` of a FAILED job.
    """
    state = Status(status)
    born_with = {*NewJob._fields, "owner"} - ({"run_after"} if state is Status.FAILED else set())
    given = {name: columns.pop(name) for name in born_with & columns.keys()}
    if state is Status.SCHEDULED:
        given.setdefault("run_after", _now() + timedelta(hours=1))
    (job_id,) = make_jobs(1, **given)
    if state in WAITING:
        if not given.get("waits_for_key"):  # else it was born waiting
            move(job_id, WAITING[state])
    elif state not in (Status.PENDING, Status.SCHEDULED):
        execution = claim(job_id, worker or make_worker())
        if state is Status.SUCCEEDED:
            succeed(execution)
        elif state in ENDINGS:
            fail(execution, **ENDINGS[state])
    if columns:
        Job.objects.filter(pk=job_id).update(**columns)
    return Job.objects.get(pk=job_id)


def move(job_id: int, transition: Transition, **columns: Any) -> None:
    """Take one transition and record it."""
    job = Job.objects.get(pk=job_id)
    moved = lifecycle.apply(transition, Job.objects.filter(pk=job_id), **columns)
    assert moved == 1, f"{transition.name} is refused from {job.status}"
    recorder.record(transition.event, recorder.Target("job", job.pk, job.task), actor=SYSTEM)


def claim(job_id: int, worker: Worker) -> JobExecution:
    """Claim this very job, whatever else waits; its attempt has begun."""
    rows = Job.objects.filter(pk=job_id)
    lane, isolated = rows.values_list("queue", "isolated").get()
    rows.update(queue=ALONE)
    claimed = queue.claim(worker_id=worker.pk, queues=[ALONE], limit=1, isolated=isolated)
    rows.update(queue=lane)
    assert len(claimed) == 1, f"job {job_id} is not PENDING"
    held = claimed[0]
    begun = Start(
        execution_id=held.execution_id,
        job_id=job_id,
        task=held.task,
        number=held.number,
        started=queue.database_time(),
        alone=False,
    )
    queue.mark_started(worker.pk, [begun])
    return JobExecution.objects.get(pk=held.execution_id)


def succeed(execution: JobExecution, result: Any = None) -> None:
    """Report success as the executor would."""
    now = queue.database_time()
    done = Succeeded(execution.pk, execution.job_id, now, now, json.dumps(result))
    late = queue.report_succeeded(execution.worker_id, [done])
    assert not late, f"{execution} is not running any more"


def fail(execution: JobExecution, **ending: Any) -> None:
    """Report any other end as the executor would; `ending` as in jobs.settlement.Ending."""
    late = queue.report_ended(execution.worker_id, {execution.pk: Ending(**ending)})
    assert not late, f"{execution} is not running any more"


def make_odd_execution(job: Job, **columns: Any) -> JobExecution:
    """An execution by raw columns, which need not fit the job's state."""
    columns.setdefault("number", job.executions_made + 1)
    columns.setdefault("worker_id", 0)
    columns.setdefault("lease_expires_at", _now() + timedelta(minutes=1))
    if columns.get("status", Outcome.RUNNING) != Outcome.RUNNING:
        columns.setdefault("finished_at", Now())
    return JobExecution.objects.create(job=job, **columns)


def _now() -> Any:
    """The database's time."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]
