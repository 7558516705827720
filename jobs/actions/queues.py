"""Pause and resume a queue: its jobs wait, running ones go on."""

from datetime import datetime

from django.db import transaction
from django.db.models.functions import Now

from accounts.permissions import require
from audit import recorder
from audit.vocabulary import EventType
from controlplane.actors import Actor
from jobs import queue
from jobs.errors import InvalidArguments
from jobs.models import Queue
from jobs.validation import plain_text


def pause_queue(*, name: str, actor: Actor, reason: str, until: datetime | None = None) -> Queue:
    """Stop claims from a queue, until a time or until resumed. Raises PermissionDenied,
    InvalidArguments.
    """
    require(actor, "queues.act")
    name = _name(name)
    _check_end(until)
    columns = {
        "paused_at": Now(),
        "paused_by": actor.label[:150],
        "pause_reason": plain_text(reason, field="reason", maximum=255),
        "paused_until": until,
    }
    with transaction.atomic():
        row, _ = Queue.objects.update_or_create(name=name, defaults=columns)
        metadata = {"reason": reason, "until": until.isoformat() if until else None}
        target = recorder.Target("queue", row.id, name)
        recorder.record(EventType.QUEUE_PAUSED, target, actor=actor, metadata=metadata)
    row.refresh_from_db()
    return row


def resume_queue(*, name: str, actor: Actor) -> None:
    """Let a queue's jobs be claimed again; nothing happens when it is not paused. Raises
    PermissionDenied, InvalidArguments.
    """
    require(actor, "queues.act")
    name = _name(name)
    with transaction.atomic():
        row = Queue.objects.select_for_update().filter(name=name, paused_at__isnull=False).first()
        if row is None:
            return
        Queue.objects.filter(id=row.id).update(
            paused_at=None, paused_by="", pause_reason="", paused_until=None
        )
        recorder.record(
            EventType.QUEUE_RESUMED, recorder.Target("queue", row.id, name), actor=actor
        )
        queue.notify({name})


def _name(name: str) -> str:
    return plain_text(name, field="name", minimum=1, maximum=100)


def _check_end(until: datetime | None) -> None:
    if until is not None and (until.tzinfo is None or until.timestamp() <= queue.database_time()):
        raise InvalidArguments("until must be a time to come, with its zone.", field="until")
