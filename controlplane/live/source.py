"""What has happened since the last look: the newest audit events, read once for all viewers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta

from django.db import DatabaseError, connections
from django.db.models import Max, QuerySet
from django.db.models.functions import Now

from audit.models import AuditEvent
from audit.vocabulary import EventType
from controlplane.live.regions import regions_of
from jobs.models import Job
from scheduling.models import JobSchedule

#: More than so many at once are not told one by one.
MANY = 200
#: Ids are drawn before they are committed: events of up to so many ids back may still appear.
LATE = 2_000
#: Nothing older than this is looked for; it also keeps the look to the newest partition.
WINDOW = timedelta(minutes=5)
#: After these, the streams of the person concerned end: their rights may be others now.
ENDS_SESSION = frozenset(
    {EventType.USER_ROLE_CHANGED, EventType.USER_STATUS_CHANGED, EventType.PASSWORD_CHANGED}
)


@dataclass(frozen=True, slots=True)
class Happening:
    """An event as viewers hear of it: ids and types only, and who may."""

    event_type: str
    target_type: str
    target_id: int | None
    owner_id: int | None
    actor_id: int | None

    @property
    def ends_session_of(self) -> int | None:
        if self.event_type in ENDS_SESSION:
            return self.target_id
        return self.actor_id if self.event_type == EventType.LOGOUT else None

    def json(self) -> str:
        regions = regions_of(self.event_type, self.target_id)
        return json.dumps({"type": self.event_type, "regions": regions}, separators=(",", ":"))


class Source:
    """Remembers how far it has read. Used by one thread, which keeps its connection."""

    def __init__(self) -> None:
        self._newest: int | None = None
        self._seen: set[int] = set()

    def read(self) -> list[Happening] | None:
        """What is new, oldest first; None when that is not known or too much to tell."""
        try:
            return self._read()
        except DatabaseError:
            self.close()
            self.forget()
            return None

    def forget(self) -> None:
        """What was read so far may have gaps: the next look begins anew."""
        self._newest = None

    def close(self) -> None:
        """Give the connection back."""
        connections.close_all()

    def _read(self) -> list[Happening] | None:
        if self._newest is None:
            self._begin()
            return None
        rows = list(
            self._recent(self._newest)
            .exclude(id__in=self._seen)
            .order_by("-id")
            .values_list("id", "event_type", "target_type", "target_id", "actor_id")[: MANY + 1]
        )
        if len(rows) > MANY:
            self._begin()
            return None
        self._newest = max([self._newest, *(row[0] for row in rows)])
        self._seen = {id_ for id_ in self._seen if id_ > self._newest - LATE}
        self._seen.update(row[0] for row in rows)
        return self._happenings(rows[::-1])

    def _begin(self) -> None:
        """What lies there now counts as known; nobody is told of it one by one."""
        recent = AuditEvent.objects.filter(occurred_at__gte=Now() - WINDOW)
        self._newest = recent.aggregate(newest=Max("id"))["newest"] or 0
        self._seen = set(self._recent(self._newest).values_list("id", flat=True))

    @staticmethod
    def _recent(newest: int) -> QuerySet[AuditEvent]:
        """What is new, or so close to it that it may have been committed since."""
        return AuditEvent.objects.filter(occurred_at__gte=Now() - WINDOW, id__gt=newest - LATE)

    def _happenings(
        self, rows: list[tuple[int, str, str, int | None, int | None]]
    ) -> list[Happening]:
        jobs = {row[3] for row in rows if row[2] == "job"}
        schedules = {row[3] for row in rows if row[2] == "schedule"}
        owners: dict[tuple[str, int | None], int | None] = {}
        for kind, model, ids in (("job", Job, jobs), ("schedule", JobSchedule, schedules)):
            if ids:
                found = model.objects.filter(id__in=ids).values_list("id", "owner_id")
                owners |= {(kind, id_): owner for id_, owner in found}
        return [
            Happening(event, kind, id_, owners.get((kind, id_)), actor)
            for _, event, kind, id_, actor in rows
        ]
