"""Importing django-celery-beat: each periodic task becomes a schedule, never two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from controlplane.actors import Actor
from controlplane.errors import ControlPlaneError
from scheduling import cron
from scheduling.celerybeat_entries import BeatEntry
from scheduling.imported import Import, key_of, stored
from scheduling.models import JobSchedule
from scheduling.values import ScheduleValues

#: Celery's own, which has nothing to do here.
_ITS_OWN = "celery.backend_cleanup"
SWITCHED_OFF = "it was switched off in django-celery-beat"


@dataclass(frozen=True, slots=True)
class ImportedTask:
    """What became of a periodic task: created, updated, unchanged, skipped or refused, and why."""

    entry: BeatEntry
    status: str
    schedule: JobSchedule | None = None
    reason: str = ""


def import_celerybeat(
    entries: Sequence[BeatEntry],
    *,
    actor: Actor,
    enable: bool,
    task_names: Mapping[str, str],
    dry_run: bool,
) -> list[ImportedTask]:
    """Make or refresh a schedule for each of them, in one transaction; return them in order.

    `task_names` gives other names to tasks. `enable` lets the clock fire those that were enabled in
    beat. `dry_run` takes everything back and tells what would have become of them.
    """
    with transaction.atomic():
        found = [_import(entry, actor, enable, task_names) for entry in entries]
        transaction.set_rollback(dry_run)
    return found


def _import(
    entry: BeatEntry, actor: Actor, enable: bool, task_names: Mapping[str, str]
) -> ImportedTask:
    if entry.task == _ITS_OWN:
        return ImportedTask(entry, "skipped", None, "Celery's own clean-up")
    if entry.problem:
        return ImportedTask(entry, "skipped", None, entry.problem)
    how = Import(
        key=key_of("celerybeat", entry.name),
        actor=actor,
        enable=enable,
        obstacle="" if entry.enabled else SWITCHED_OFF,
    )
    values: ScheduleValues = {**entry.values, "task": task_names.get(entry.task, entry.task)}
    remarks = list(entry.remarks)
    try:
        with transaction.atomic():
            if entry.one_off:
                values = _once(values)
                remarks.append("one-off: it runs at its next time only")
            status, schedule = stored(values, entry.name, how)
    except ControlPlaneError as error:
        return ImportedTask(entry, "refused", None, error.message)
    if schedule.status_reason:
        remarks.append(schedule.status_reason)
    return ImportedTask(entry, status, schedule, "; ".join(remarks))


def _once(values: ScheduleValues) -> ScheduleValues:
    """A repeating entry that beat would have switched off after its next run."""
    now = timezone.now()
    if seconds := values.pop("interval_seconds", None):
        values["run_at"] = now + timedelta(seconds=seconds)
    else:
        zone = values.get("timezone", "UTC")
        values["run_at"] = cron.next_fire(values.pop("cron", ""), zone, now)
    return values
