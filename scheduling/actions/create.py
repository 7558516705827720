"""Make a schedule. It keeps still until somebody resumes it, unless asked to start at once."""

from typing import Unpack

from django.db import transaction

from accounts.permissions import require
from audit import recorder
from audit.vocabulary import EventType
from controlplane.actors import Actor
from scheduling import values as given
from scheduling.actions.limit import require_room
from scheduling.actions.locking import names_translated
from scheduling.actions.timing import anchor, enable, times_facts
from scheduling.clock import time_now
from scheduling.errors import InvalidSchedule
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
from scheduling.targets import target
from scheduling.values import ScheduleValues
from scheduling.wakeup import wake_schedulers


def create_schedule(
    *,
    actor: Actor,
    enabled: bool = False,
    import_key: str | None = None,
    status_reason: str = "",
    **values: Unpack[ScheduleValues],
) -> JobSchedule:
    """The new schedule of the actor: PAUSED, or ENABLED if asked; UNSCHEDULED without times.

    `name` and `task` are needed; an import gives its key, and the reason why it does not enable.
    Raises what `values.checked`, `check_arguments` and `check_times` raise, NameTaken,
    ScheduleLimitReached or PermissionDenied.
    """
    require(actor, "schedules.act", owner_id=actor.id)
    for needed in ("name", "task"):
        if needed not in values:
            raise InvalidSchedule(f"{needed} is missing.", field=needed)
    schedule = JobSchedule(
        owner_id=actor.id,
        import_key=import_key,
        status_reason=status_reason,
        **given.checked(values),
    )
    given.check_arguments(schedule.task, schedule.args, schedule.kwargs, actor)
    with transaction.atomic():
        require_room()
        now = time_now()
        anchor(schedule, now)
        given.check_times(schedule.times, now)
        if enabled:
            enable(schedule, now)
        elif schedule.times:
            schedule.schedule_status = ScheduleStatus.PAUSED
        with names_translated(schedule.name):
            schedule.save(force_insert=True)
        if enabled:
            wake_schedulers(schedule.id)
        facts = {
            "task": schedule.task,
            **times_facts(schedule),
            "schedule_status": schedule.schedule_status,
        }
        recorder.record(EventType.SCHEDULE_CREATED, target(schedule), actor=actor, metadata=facts)
    return schedule
