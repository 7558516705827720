"""Why is this job not running? What keeps it from being claimed, in the order in which it matters.

Built from the same named filters as the claim (querysets.py), so that the two cannot drift apart:
a PENDING job without a blocker is the one that the next claim of its queue takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from accounts.permissions import sees_all
from controlplane.actors import Actor
from jobs.lifecycle import Status
from jobs.models import Job, JobExecution, Queue, Worker

#: Jobs in front of this one are counted up to here; what matters beyond is that they are many.
AHEAD_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Blocker:
    """One thing in the way. `code` is stable, `sentence` is for people; `job_id` names a job that
    holds it up, `since` and `until` are known for some.
    """

    code: str
    sentence: str
    since: datetime | None = None
    until: datetime | None = None
    job_id: int | None = None
    #: Name of the queue that somebody may resume, when that is the remedy.
    queue: str = ""


def blockers_of(job: Job) -> list[Blocker]:
    """What keeps the job from running now; empty when it runs, has ended, or is next in line."""
    if job.status == Status.PENDING:
        return list(_of_pending(job))
    if job.status == Status.SCHEDULED:
        return [Blocker("not_due", "Its time has not come.", until=job.run_after)]
    if job.status == Status.FAILED:
        return [_backing_off(job)]
    if job.status == Status.BLOCKED:
        return [_waiting(job)]
    if job.status == Status.NEEDS_VERIFICATION:
        sentence = "It may have had an effect that cannot be undone: somebody must say what to do."
        return [Blocker("needs_verification", sentence)]
    return []


def blockers_shown_to(actor: Actor, job: Job) -> list[Blocker]:
    """The same; other people's jobs go unnamed before those who may not see them."""
    found = blockers_of(job)
    if sees_all(actor, "jobs.see_all"):
        return found
    return [replace(blocker, job_id=None) for blocker in found]


def _of_pending(job: Job) -> Iterator[Blocker]:
    paused = Queue.objects.paused().filter(name=job.queue).first()
    if paused is not None:
        yield _paused(paused)
    yield from _without_executor(job)
    ahead = Job.objects.ahead_of(job)[:AHEAD_LIMIT].count()
    if ahead:
        number = f"{ahead}" if ahead < AHEAD_LIMIT else f"at least {AHEAD_LIMIT}"
        jobs = "job stands" if ahead == 1 else "jobs stand"
        first = Job.objects.ahead_of(job).values_list("id", flat=True).first()
        sentence = f"{number} {jobs} before it in the queue {job.queue}."
        yield Blocker("behind_others", sentence, since=job.queued_at, job_id=first)
    if _is_locked(job):
        sentence = "A transaction holds its row: an executor claims it, or somebody acts on it."
        yield Blocker("locked", sentence)


def _paused(queue: Queue) -> Blocker:
    reason = f": {queue.pause_reason}" if queue.pause_reason else ""
    who = queue.paused_by or "somebody"
    sentence = f"The queue {queue.name} is paused by {who}{reason}."
    return Blocker("queue_paused", sentence, queue.paused_at, queue.paused_until, queue=queue.name)


def _without_executor(job: Job) -> Iterator[Blocker]:
    """The one reason, if any, why no live executor can take it."""
    live = Worker.objects.live().filter(kind=Worker.Kind.EXECUTOR)
    serving, knowing = live.serving(job.queue), live.knowing(job.task)
    if not live.exists():
        last = Worker.objects.filter(kind=Worker.Kind.EXECUTOR).order_by("-reported_at").first()
        since = last.reported_at if last else None
        yield Blocker("no_executor", "No executor is alive.", since=since)
    elif not serving.exists():
        yield Blocker("queue_not_served", f"No live executor serves the queue {job.queue}.")
    elif not knowing.exists():
        yield Blocker("task_unknown", f"No live executor knows the task {job.task}.")
    elif not serving.knowing(job.task).exists():
        sentence = f"No live executor both serves the queue {job.queue} and knows the task."
        yield Blocker("no_executor_for_both", sentence)


def _backing_off(job: Job) -> Blocker:
    last = JobExecution.objects.filter(job_id=job.id).order_by("-number").first()
    error = (last.error_class or last.error_code).rpartition(".")[2] if last else "an error"
    sentence = (
        f"Attempt {job.attempts_charged} of {job.max_attempts} failed with {error}; "
        "the next one waits for its time."
    )
    since = last.finished_at if last else None
    return Blocker("backing_off", sentence, since=since, until=job.run_after)


def _waiting(job: Job) -> Blocker:
    if job.waits_for_key is None:
        return Blocker("blocked", "It waits for other jobs, or for a free place under a limit.")
    holder = Job.objects.unfinished().filter(overlap_key=job.waits_for_key).first()
    if holder is None:
        return Blocker("about_to_go_on", "What it waited for has ended; it goes on in a moment.")
    sentence = f"It runs after another job of the same key, which is {holder.status}."
    return Blocker("waits_for_job", sentence, since=holder.created_at, job_id=holder.id)


def _is_locked(job: Job) -> bool:
    """Whether a claim would skip it now because another transaction holds its row."""
    with transaction.atomic():
        rows = Job.objects.filter(id=job.id, status=Status.PENDING)
        free = rows.select_for_update(skip_locked=True, no_key=True).values_list("id", flat=True)
        return not list(free) and rows.exists()
