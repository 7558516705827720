"""How an action gets at its schedule, and what it leaves behind in the audit trail."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction

from accounts.permissions import require
from controlplane.actors import Actor
from controlplane.errors import NotFound
from scheduling.clock import time_at
from scheduling.errors import InvalidTransition, NameTaken, ScheduleNotFound
from scheduling.lifecycle import SOURCES
from scheduling.models import JobSchedule


@dataclass(frozen=True, slots=True)
class Locked:
    """A schedule locked for this transaction, and the database's time then."""

    schedule: JobSchedule
    now: datetime


def lock_schedule(schedule_id: int, *, actor: Actor) -> Locked:
    """Raises ScheduleNotFound, also for a deleted or somebody else's one, or PermissionDenied."""
    rows = JobSchedule.objects.live().select_for_update(no_key=True)
    schedule = rows.filter(id=schedule_id).first()
    if schedule is None:
        raise ScheduleNotFound(f"There is no schedule {schedule_id}.")
    try:
        require(actor, "schedules.act", owner_id=schedule.owner_id)
    except NotFound:
        raise ScheduleNotFound(f"There is no schedule {schedule_id}.") from None
    return Locked(schedule, time_at(schedule_id))


def require_source(schedule: JobSchedule, verb: str) -> None:
    """Raises InvalidTransition unless the verb may be asked for in the schedule's status."""
    if schedule.schedule_status not in SOURCES[verb]:
        allowed = ", ".join(SOURCES[verb])
        raise InvalidTransition(
            f"Schedule {schedule.id} is {schedule.schedule_status}; {verb} needs {allowed}."
        )


@contextmanager
def names_translated(name: str) -> Iterator[None]:
    """A savepoint in which a name that the owner uses already raises NameTaken."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if "schedule_name_once_per_owner" in str(error):
            raise NameTaken(f"There is another schedule named {name}.") from None
        raise
