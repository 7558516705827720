"""Make a schedule. It keeps still until somebody resumes it, unless asked to start at once."""

from typing import Unpack

from django.db import transaction

from accounts.permissions import require
from audit import recorder
from audit.vocabulary import EventType
from controlplane.actors import Actor
from scheduling import values as given
from scheduling.actions.locking import names_translated, target
from scheduling.actions.timing import enable
from scheduling.errors import InvalidSchedule
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
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
    """The new schedule of the actor: PAUSED, or ENABLED if asked; UNSCHEDULED without a cron.

    `name` and `task` are needed; an import gives its key, and the reason why it does not enable.
    Raises what `values.checked` and `values.check_arguments` raise, NameTaken or PermissionDenied.
    """
    require(actor, "schedules.act", owner_id=actor.id)
    for needed in ("name", "task"):
        if needed not in values:
            raise InvalidSchedule(f"{needed} is missing.", field=needed)
    columns = given.checked(values)
    if enabled and not columns.get("cron"):
        raise InvalidSchedule("A schedule without a cron cannot be enabled.", field="cron")
    schedule = JobSchedule(
        owner_id=actor.id, import_key=import_key, status_reason=status_reason, **columns
    )
    given.check_arguments(schedule.task, schedule.args, schedule.kwargs, actor)
    if schedule.cron:
        schedule.schedule_status = ScheduleStatus.PAUSED
    with transaction.atomic():
        with names_translated(schedule.name):
            schedule.save(force_insert=True)
        if enabled:
            enable(schedule, schedule.created_at)
            schedule.save(update_fields=["schedule_status", "next_run_at"])
            wake_schedulers(schedule.id)
        facts = {"task": schedule.task, "cron": schedule.cron, "timezone": schedule.timezone}
        facts["schedule_status"] = schedule.schedule_status
        recorder.record(EventType.SCHEDULE_CREATED, target(schedule), actor=actor, metadata=facts)
    return schedule
