"""Reads of the audit trail: filtered history, and the history of one thing."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from audit.models import AuditEvent

#: Most events shown of one thing; a job that was retried for months has more.
MAX_OF_TARGET = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """What to look for; None asks for nothing. `actor` is a person's id or SYSTEM."""

    event_type: str | None = None
    actor: int | str | None = None
    target_type: str | None = None
    target_id: int | None = None
    since: datetime | None = None
    until: datetime | None = None


#: The value of `Criteria.actor` that stands for the machine itself.
SYSTEM = "system"


def history(criteria: Criteria) -> QuerySet[AuditEvent]:
    """The events that meet all criteria, from `since` on and before `until`; newest first."""
    wanted: dict[str, object] = {
        "event_type": criteria.event_type,
        "target_type": criteria.target_type,
        "target_id": criteria.target_id,
        "occurred_at__gte": criteria.since,
        "occurred_at__lt": criteria.until,
    }
    if criteria.actor == SYSTEM:
        wanted |= {"actor_id__isnull": True, "actor_label": ""}
    else:
        wanted["actor_id"] = criteria.actor
    asked = {lookup: value for lookup, value in wanted.items() if value is not None}
    return AuditEvent.objects.filter(**asked).order_by("-id")


def history_of(target_type: str, target_id: int) -> list[AuditEvent]:
    """The latest events of one thing, in the order in which they occurred."""
    latest = history(Criteria(target_type=target_type, target_id=target_id))[:MAX_OF_TARGET]
    return sorted(latest, key=lambda event: (event.occurred_at, event.id))
