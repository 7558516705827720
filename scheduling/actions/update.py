"""Edit a schedule. An edit fires nothing, and overwrites nothing that its author has not seen."""

from datetime import datetime
from typing import Any, Unpack

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from audit import recorder
from audit.queries import Criteria, history
from audit.vocabulary import EventType
from controlplane.actors import Actor
from scheduling import values as given
from scheduling.actions.limit import require_within_limit
from scheduling.actions.locking import Locked, lock_schedule, names_translated
from scheduling.actions.timing import CLOCK, anchor, enable, follow_times
from scheduling.errors import StaleEdit
from scheduling.lifecycle import NO_TIMES, ScheduleStatus
from scheduling.models import JobSchedule
from scheduling.targets import target
from scheduling.values import ScheduleValues
from scheduling.wakeup import wake_schedulers

_RUN = {"task", "args", "kwargs"}
_TIMES = {*NO_TIMES, "timezone", "starts_at", "ends_at"}
#: May hold what the trail should not keep.
_UNTOLD = {"args", "kwargs"}


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
    NameTaken, ScheduleLimitReached, and what `values.checked`, `check_arguments` and `check_times`
    raise.
    """
    columns = given.checked(values)
    with transaction.atomic():
        locked = lock_schedule(schedule_id, actor=actor)
        schedule = locked.schedule
        require_within_limit(schedule)
        if expected_version is not None and schedule.version != expected_version:
            raise _stale(schedule, expected_version)
        before = {name: getattr(schedule, name) for name in (*columns, "anchor_at")}
        for name, value in columns.items():
            setattr(schedule, name, value)
        anchor(schedule, locked.now)
        changed = [n for n, was in before.items() if getattr(schedule, n) != was]
        starts = enabled and schedule.schedule_status != ScheduleStatus.ENABLED
        if not changed and not starts:
            return schedule
        _follow(locked, set(changed), actor, enabled=starts)
        with names_translated(schedule.name):
            _save(schedule, changed)
        _record(schedule, {name: before[name] for name in changed}, actor)
        wake_schedulers(schedule.id)
    schedule.refresh_from_db()
    return schedule


def _follow(locked: Locked, changed: set[str], actor: Actor, *, enabled: bool) -> None:
    """What depends on the changed columns: whether they are right together, status, next time."""
    schedule = locked.schedule
    if changed & _RUN:
        given.check_arguments(schedule.task, schedule.args, schedule.kwargs, actor)
    lost_task = schedule.schedule_status == ScheduleStatus.TASK_NOT_FOUND
    # A lost task keeps its status, whatever else is edited, until another task is named.
    if changed & ({"task"} if lost_task else _TIMES):
        follow_times(schedule, locked.now)
    elif changed & _TIMES:
        given.check_times(schedule.times, locked.now)
    if enabled:
        enable(schedule, locked.now)


def _save(schedule: JobSchedule, changed: list[str]) -> None:
    JobSchedule.objects.filter(id=schedule.id).update(
        **{name: getattr(schedule, name) for name in {*changed, *CLOCK}},
        version=F("version") + 1,
        updated_at=Now(),
    )


def _record(schedule: JobSchedule, before: dict[str, Any], actor: Actor) -> None:
    told = [name for name in before if name not in _UNTOLD]
    recorder.record(
        EventType.SCHEDULE_UPDATED,
        target(schedule),
        actor=actor,
        metadata={
            "changed": sorted(before),
            "before": {name: _as_json(before[name]) for name in told},
            "after": {name: _as_json(getattr(schedule, name)) for name in told},
            "version": schedule.version + 1,
            "schedule_status": schedule.schedule_status,
        },
    )


def _as_json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _stale(schedule: JobSchedule, expected: int) -> StaleEdit:
    """What others have changed since, as far as the trail reaches back."""
    since = history(Criteria(target_type="schedule", target_id=schedule.id)).filter(
        metadata__version__gt=expected
    )
    changed = sorted({name for event in since for name in event.metadata.get("changed", ())})
    what = f"{', '.join(changed)} changed meanwhile: the" if changed else "The"
    return StaleEdit(
        f"{what} schedule is at version {schedule.version}; the edit began at {expected}. "
        "Read it again.",
        changed=changed,
    )
