"""Jobs that wait for an overlap key: one at a time goes on when nobody unfinished holds the key.

Whoever ends a job, or takes one out of the unfinished states otherwise, calls `release` with its
key in the same transaction: there is no moment at which the key is free and the next job waits.
Whoever lets a job wait locks the holder first (jobs/actions/behind.py), so that neither misses the
other.
"""

from collections.abc import Iterable

from django.db.models import Exists, F, OuterRef

from audit import recorder
from controlplane.actors import SYSTEM
from jobs import lifecycle
from jobs.models import Job
from jobs.querysets import JobQuerySet


def release(keys: Iterable[str | None]) -> set[str]:
    """Let the first job behind each of these keys go on, where the key is free; return the queues
    whose executors there is news for.
    """
    wanted = {key for key in keys if key is not None}
    return (
        _release(Job.objects.waiting_for_key().filter(waits_for_key__in=wanted))
        if wanted
        else set()
    )


def release_stranded(limit: int) -> set[str]:
    """The same for any key: what a process of an earlier release, or a hand in the table, left."""
    return _release(Job.objects.waiting_for_key(), limit)


def _release(waiting: JobQuerySet, limit: int | None = None) -> set[str]:
    queues: set[str] = set()
    held = Job.objects.unfinished().filter(overlap_key=OuterRef("waits_for_key"))
    first = waiting.filter(~Exists(held)).order_by("waits_for_key", "id").distinct("waits_for_key")
    # Again after one was cancelled at this moment: then it is the next one's turn.
    while ids := list(first.values_list("id", flat=True)[:limit]):
        rows = list(
            Job.objects.waiting_for_key()
            .filter(id__in=ids)
            .order_by("id")
            .select_for_update(no_key=True)
            .values_list("id", "task", "queue")
        )
        _unblock([id_ for id_, _, _ in rows])
        recorder.record_all(
            recorder.event(lifecycle.UNBLOCK.event, recorder.Target("job", id_, task), actor=SYSTEM)
            for id_, task, _ in rows
        )
        queues |= {queue for _, _, queue in rows}
    return queues


def _unblock(ids: list[int]) -> None:
    moved = lifecycle.apply(
        lifecycle.UNBLOCK,
        Job.objects.filter(id__in=ids),
        overlap_key=F("waits_for_key"),
        waits_for_key=None,
    )
    if moved != len(ids):
        raise RuntimeError(f"{len(ids)} waiting jobs were locked, {moved} moved.")
