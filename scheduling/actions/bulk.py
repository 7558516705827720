"""Pause or resume many schedules: each by itself, so that one refusal stops no other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from controlplane.actors import Actor
from controlplane.errors import ControlPlaneError
from scheduling.actions.transition import pause_schedule, resume_schedule
from scheduling.errors import InvalidSchedule

#: Most schedules of one call.
MAX_BULK = 1000


@dataclass(slots=True)
class Bulk:
    """The ids that are now as was asked for, and why each other one is not."""

    done: list[int] = field(default_factory=list)
    refused: dict[int, ControlPlaneError] = field(default_factory=dict)


def pause_schedules(*, schedule_ids: Sequence[int], actor: Actor, reason: str = "") -> Bulk:
    """As `pause_schedule` for each. Raises InvalidSchedule for more than MAX_BULK of them."""
    return _each(
        schedule_ids, lambda id_: pause_schedule(schedule_id=id_, actor=actor, reason=reason)
    )


def resume_schedules(*, schedule_ids: Sequence[int], actor: Actor) -> Bulk:
    """As `resume_schedule` for each. Raises InvalidSchedule for more than MAX_BULK of them."""
    return _each(schedule_ids, lambda id_: resume_schedule(schedule_id=id_, actor=actor))


def _each(schedule_ids: Sequence[int], action: Callable[[int], object]) -> Bulk:
    ids = sorted(set(schedule_ids))
    if len(ids) > MAX_BULK:
        raise InvalidSchedule(
            f"{len(ids)} schedules at once are too many; at most {MAX_BULK} are allowed.",
            field="schedule_ids",
        )
    bulk = Bulk()
    for id_ in ids:
        try:
            action(id_)
        except ControlPlaneError as error:
            bulk.refused[id_] = error
        else:
            bulk.done.append(id_)
    return bulk
