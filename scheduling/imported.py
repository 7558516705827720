"""Schedules that come from elsewhere: made once, refreshed by the next import, never doubled."""

import hashlib
from dataclasses import dataclass

from controlplane.actors import Actor
from scheduling.actions.create import create_schedule
from scheduling.actions.transition import resume_schedule
from scheduling.actions.update import update_schedule
from scheduling.errors import InvalidSchedule
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
from scheduling.values import ScheduleValues

#: Told of a schedule that an import left PAUSED; a person who pauses one leaves no such reason.
NOT_ENABLED = "imported; not enabled yet"
#: Longest name made from a longer text, characters.
NAME_LENGTH = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """How an import is carried out. `obstacle` says why this schedule must wait, if it must."""

    key: str
    actor: Actor
    enable: bool
    obstacle: str = ""


def key_of(kind: str, *parts: str) -> str:
    """What a schedule is found by again: the same parts are the same schedule."""
    return f"{kind}:{digest_of(*parts)}"


def digest_of(*parts: str) -> str:
    """Texts of any length as 40 characters."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]


def stored(values: ScheduleValues, name: str, how: Import) -> tuple[str, JobSchedule]:
    """The schedule of this key, and whether it was created, updated or unchanged.

    What a person paused stays so; what a person deleted stays away unless it is to be enabled.
    """
    enable = how.enable and not how.obstacle
    ever = JobSchedule.objects.filter(import_key=how.key)
    known = ever.live().first()
    if known is None:
        if not enable and ever.exists():
            raise InvalidSchedule("its schedule was deleted here")
        values["name"] = free_name(name, how.actor)
        reason = "" if enable else how.obstacle or NOT_ENABLED
        timed = any(values.get(kind) for kind in ("cron", "interval_seconds", "run_at"))
        made = create_schedule(
            actor=how.actor,
            enabled=enable and timed,
            import_key=how.key,
            status_reason=reason,
            **values,
        )
        return "created", made
    updated = update_schedule(schedule_id=known.id, actor=how.actor, **values)
    status = "unchanged" if updated.version == known.version else "updated"
    if enable and known.status_reason and known.schedule_status == ScheduleStatus.PAUSED:
        updated = resume_schedule(schedule_id=known.id, actor=how.actor)
        status = "updated"
    return status, updated


def free_name(text: str, actor: Actor) -> str:
    """The text's beginning, with a number where the owner has such a name already."""
    words = "".join(c if c.isprintable() else " " for c in text).split()
    short = " ".join(words)
    short = short if len(short) <= NAME_LENGTH else short[: NAME_LENGTH - 1].rstrip() + "…"
    taken = set(
        JobSchedule.objects.live()
        .owned_by(actor.id)
        .filter(name__startswith=short)
        .values_list("name", flat=True)
    )
    candidates = (short if n == 1 else f"{short} ({n})" for n in range(1, len(taken) + 2))
    return next(name for name in candidates if name not in taken)
