"""The only writer of the audit trail. Call it in the transaction of the change it tells of."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from audit.models import AuditEvent
from audit.vocabulary import EventType
from controlplane.actors import Actor

#: For statements that move rows and record it at once: `INSERT INTO {MACHINE_COLUMNS} SELECT ...`.
#: The columns left out keep their defaults (the actor is then the system).
MACHINE_COLUMNS = (
    f"{AuditEvent._meta.db_table} "
    "(event_type, target_type, target_id, target_label, metadata, occurred_at)"
)


class Target(NamedTuple):
    """What an event is about: kind ("job", "schedule", "user", "queue"), id and present name."""

    type: str
    id: int | None
    label: str


def event(
    event_type: EventType,
    target: Target,
    *,
    actor: Actor,
    metadata: Mapping[str, Any] | None = None,
) -> AuditEvent:
    """An unsaved event, for `record_all`."""
    origin = actor.origin
    return AuditEvent(
        event_type=EventType(event_type),
        actor_id=actor.id,
        actor_label="" if actor.is_system else _text(actor.label, 150),
        target_type=target.type,
        target_id=target.id,
        target_label=_text(target.label, 255),
        metadata={name: _storable(value) for name, value in (metadata or {}).items()},
        ip_address=origin.ip or None,
        user_agent=_text(origin.user_agent, 255),
        request_id=_text(origin.request_id, 64),
    )


def record(
    event_type: EventType,
    target: Target,
    *,
    actor: Actor,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Write one event. Raises ValueError for a type outside the vocabulary."""
    record_all([event(event_type, target, actor=actor, metadata=metadata)])


def record_all(events: Iterable[AuditEvent]) -> None:
    """Write many events in one statement."""
    AuditEvent.objects.bulk_create(list(events))


def _text(raw: str, limit: int) -> str:
    """What people typed may hold what PostgreSQL cannot store: NUL and lone surrogates."""
    return raw[:limit].replace("\x00", "\ufffd").encode(errors="replace").decode()


def _storable(value: Any) -> Any:
    return _text(value, len(value)) if isinstance(value, str) else value
