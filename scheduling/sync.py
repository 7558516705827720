"""Bring schedules in line with a file: make, change, and disable what the file no longer has.

A file owns the schedules it made, known by its `source` and their names; others it never touches,
but for one of the same name that nobody imported: that one it takes over.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from django.db import transaction

from controlplane.actors import Actor
from controlplane.errors import ControlPlaneError
from scheduling import values as given
from scheduling.actions import (
    create_schedule,
    disable_schedule,
    pause_schedule,
    resume_schedule,
    update_schedule,
)
from scheduling.imported import digest_of, key_of
from scheduling.lifecycle import NO_TIMES, ScheduleStatus
from scheduling.masking import masked_arguments, unmasked
from scheduling.models import JobSchedule
from scheduling.schedule_file import COLUMNS, FileEntry, ScheduleFile, moment_text
from scheduling.values import ScheduleValues

#: Longest value written out in a difference, characters.
MAX_VALUE = 80


@dataclass(frozen=True, slots=True)
class Difference:
    """What is done about one schedule: create, update or disable, and each changed column."""

    verb: str
    name: str
    changes: tuple[str, ...] = ()


@dataclass(slots=True)
class Synced:
    """What was different, in the file's order; with errors nothing is stored."""

    differences: list[Difference] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def sync_schedules(file: ScheduleFile, *, actor: Actor, dry_run: bool) -> Synced:
    """Carry out the file in one transaction, or only tell the differences."""
    synced = Synced()
    prefix = f"{key_of('sync', file.source)}:"
    with transaction.atomic():
        kept = set()
        for entry in file.entries:
            try:
                with transaction.atomic():
                    schedule = _carried_out(entry, prefix, actor, synced)
                    kept.add(schedule.id)
            except ControlPlaneError as error:
                synced.errors.append(f"{entry.name}: {error.message}")
        _disable_others(prefix, kept, actor, synced)
        transaction.set_rollback(dry_run or bool(synced.errors))
    return synced


def _carried_out(entry: FileEntry, prefix: str, actor: Actor, synced: Synced) -> JobSchedule:
    known = _known(entry.name, prefix)
    if known is None:
        values: Any = {**entry.values, "name": entry.name}
        for name in ("args", "kwargs"):
            unmasked(values.get(name), None, None, field=name)
        made = create_schedule(
            actor=actor, enabled=bool(entry.enabled), import_key=_key(prefix, entry.name), **values
        )
        synced.differences.append(Difference("create", made.name, _told(made)))
        return made
    changes = _changed(entry, known, actor)
    if known.import_key is None:
        JobSchedule.objects.filter(id=known.id).update(import_key=_key(prefix, entry.name))
        changes.insert(0, "is taken over by the file")
    changes += _status(entry, known, actor)
    if changes:
        synced.differences.append(Difference("update", known.name, tuple(changes)))
    return known


def _known(name: str, prefix: str) -> JobSchedule | None:
    live = JobSchedule.objects.live()
    own = live.filter(import_key=_key(prefix, name)).first()
    if own is not None:
        return own
    namesakes = list(live.filter(name=name, import_key__isnull=True)[:2])
    return namesakes[0] if len(namesakes) == 1 else None


def _key(prefix: str, name: str) -> str:
    return prefix + digest_of(name)


def _changed(entry: FileEntry, known: JobSchedule, actor: Actor) -> list[str]:
    """Set what differs; what the file leaves out is the default. An interval keeps its anchor."""
    wanted = _wanted(entry, known)
    columns = given.checked(wanted)
    changes = [
        f"{name}: {_shown(known, name, getattr(known, name))} -> {_shown(known, name, value)}"
        for name, value in columns.items()
        if getattr(known, name) != value
    ]
    if changes:
        update_schedule(schedule_id=known.id, actor=actor, **wanted)
        known.refresh_from_db()
    return changes


def _wanted(entry: FileEntry, known: JobSchedule) -> ScheduleValues:
    blank = JobSchedule()
    values: dict[str, Any] = {name: getattr(blank, name) for name in COLUMNS} | NO_TIMES
    values |= entry.values
    values["name"] = entry.name
    args, kwargs = masked_arguments(known)
    values["args"] = unmasked(values["args"], args, known.args, field="args")
    values["kwargs"] = unmasked(values["kwargs"], kwargs, known.kwargs, field="kwargs")
    if "anchor_at" not in entry.values and (values["interval_seconds"] or values["interval_days"]):
        values["anchor_at"] = known.anchor_at
    return cast(ScheduleValues, values)


def _status(entry: FileEntry, known: JobSchedule, actor: Actor) -> list[str]:
    """Enabled or paused as the file says, if it says so."""
    status = known.schedule_status
    if entry.enabled and status == ScheduleStatus.PAUSED:
        resume_schedule(schedule_id=known.id, actor=actor)
        return ["is enabled"]
    if entry.enabled is False and status == ScheduleStatus.ENABLED:
        pause_schedule(schedule_id=known.id, actor=actor)
        return ["is paused"]
    return []


def _disable_others(prefix: str, kept: set[int], actor: Actor, synced: Synced) -> None:
    rows = JobSchedule.objects.live().filter(import_key__startswith=prefix).exclude(id__in=kept)
    for schedule in rows.exclude(schedule_status=ScheduleStatus.UNSCHEDULED).order_by("id"):
        disable_schedule(schedule_id=schedule.id, actor=actor)
        told = ("the file no longer has it",)
        synced.differences.append(Difference("disable", schedule.name, told))


def _told(made: JobSchedule) -> tuple[str, ...]:
    shown: Sequence[str] = ("task", *NO_TIMES, "timezone")
    blank = JobSchedule()
    told = [
        f"{name}: {_shown(made, name, getattr(made, name))}"
        for name in shown
        if getattr(made, name) != getattr(blank, name)
    ]
    return (*told, "enabled" if made.schedule_status == ScheduleStatus.ENABLED else "not enabled")


def _shown(schedule: JobSchedule, name: str, value: Any) -> str:
    """Arguments may be secret: of them only that they differ is told."""
    if name in {"args", "kwargs"}:
        return "…"
    text = moment_text(value) if isinstance(value, datetime) else json.dumps(value, default=str)
    return text if len(text) <= MAX_VALUE else text[: MAX_VALUE - 1] + "…"
