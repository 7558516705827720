"""Edit a schedule. An edit fires nothing, and overwrites nothing that its author has not seen."""

from typing import Any, Unpack

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from audit import recorder
from audit.vocabulary import EventType
from controlplane.actors import Actor
from scheduling import values as given
from scheduling.actions.locking import Locked, lock_schedule, names_translated, target
from scheduling.actions.timing import enable, follow_cron
from scheduling.errors import InvalidSchedule, StaleEdit
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
from scheduling.values import ScheduleValues
from scheduling.wakeup import wake_schedulers

_RUN = {"task", "args", "kwargs"}
_TIMES = {"cron", "timezone"}


def update_schedule(
    *,
    schedule_id: int,
    actor: Actor,
    expected_version: int | None = None,
    enabled: bool = False,
    **values: Unpack[ScheduleValues],
) -> JobSchedule:
    """Set these columns. `expected_version` is the version its author saw; None for an import.

    `enabled` also lets the clock fire it. Raises StaleEdit, ScheduleNotFound, PermissionDenied,
    NameTaken, and what `values.checked` and `values.check_arguments` raise.
    """
    columns = given.checked(values)
    with transaction.atomic():
        locked = lock_schedule(schedule_id, actor=actor)
        schedule = locked.schedule
        if expected_version is not None and schedule.version != expected_version:
            raise StaleEdit(
                f"The schedule is at version {schedule.version}; the edit began at "
                f"{expected_version}. Read it again."
            )
        changed = {n: v for n, v in columns.items() if getattr(schedule, n) != v}
        if not changed and not enabled:
            return schedule
        _set(locked, changed, actor, enabled=enabled)
        with names_translated(schedule.name):
            _save(schedule, changed)
        recorder.record(
            EventType.SCHEDULE_UPDATED,
            target(schedule),
            actor=actor,
            metadata={"changed": sorted(changed), "schedule_status": schedule.schedule_status},
        )
        wake_schedulers(schedule.id)
    schedule.refresh_from_db()
    return schedule


def _set(locked: Locked, changed: dict[str, Any], actor: Actor, *, enabled: bool) -> None:
    schedule = locked.schedule
    for name, value in changed.items():
        setattr(schedule, name, value)
    if changed.keys() & _RUN:
        given.check_arguments(schedule.task, schedule.args, schedule.kwargs, actor)
    lost_task = schedule.schedule_status == ScheduleStatus.TASK_NOT_FOUND
    # A lost task keeps its status, whatever else is edited, until another task is named.
    if changed.keys() & ({"task"} if lost_task else _TIMES):
        follow_cron(schedule, locked.now)
    if enabled and schedule.schedule_status != ScheduleStatus.ENABLED:
        if schedule.schedule_status != ScheduleStatus.PAUSED:
            raise InvalidSchedule("Only a schedule with a cron can be enabled.", field="cron")
        enable(schedule, locked.now)


def _save(schedule: JobSchedule, changed: dict[str, Any]) -> None:
    JobSchedule.objects.filter(id=schedule.id).update(
        **changed,
        schedule_status=schedule.schedule_status,
        status_reason=schedule.status_reason,
        next_run_at=schedule.next_run_at,
        version=F("version") + 1,
        updated_at=Now(),
    )
