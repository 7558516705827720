"""What an edit of times does: runs lost and added, and who else runs in the same minutes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from controlplane.actors import Actor
from controlplane.errors import ControlPlaneError
from scheduling import times as schedule_times
from scheduling.cron_calendar import next_wall, parse
from scheduling.cron_zones import next_change, wall_of, zone_named
from scheduling.models import JobSchedule
from scheduling.preview import PreviewRun, preview_runs
from scheduling.queries import visible_schedules
from scheduling.times import Times

#: Runs of either side that are compared.
COMPARED = 20
#: Schedules that are named for one minute.
NAMED = 5
#: Other schedules that are looked at; of more, the ones that run next.
LOOKED_AT = 2000
_MINUTE = timedelta(minutes=1)
_SECOND = timedelta(seconds=1)


@dataclass(slots=True)
class ComparedRun:
    """A time of the old or the new schedule; `new` carries what is shown of it, if it has one."""

    instant: datetime
    old: bool = False
    new: PreviewRun | None = None
    #: Others that run in the same minute, and how many more than are named.
    others: list[JobSchedule] = field(default_factory=list)
    more: int = 0

    @property
    def verdict(self) -> str:
        """kept, lost or added."""
        if self.old and self.new:
            return "kept"
        return "lost" if self.old else "added"


@dataclass(frozen=True, slots=True)
class Impact:
    """An edit's effect up to the time until which both sides are known."""

    runs: list[ComparedRun]
    lost: int
    added: int


def impact_of(
    old: Times, new: Times, now: datetime, *, actor: Actor, schedule_id: int | None
) -> Impact:
    """The next runs old against new, with the other schedules that the actor may see beside them.

    Raises InvalidCron and InvalidZone for the new times; old ones that are corrupt count as none.
    """
    after = list(islice(schedule_times.fires(new, now), COMPARED))
    before = _known(old, now)
    runs = {time: ComparedRun(time) for time in sorted({*before, *after})}
    for time in before:
        runs[time].old = True
    for shown in preview_runs(new, after):
        runs[shown.instant].new = shown
    compared = list(_until_both_are_known(runs.values(), before, after))
    _name_others(compared, actor, schedule_id)
    verdicts = [run.verdict for run in compared]
    return Impact(compared, verdicts.count("lost"), verdicts.count("added"))


def _known(times: Times, now: datetime) -> list[datetime]:
    try:
        return list(islice(schedule_times.fires(times, now), COMPARED)) if times else []
    except ControlPlaneError:
        return []


def _until_both_are_known(
    runs: Iterable[ComparedRun], before: Sequence[datetime], after: Sequence[datetime]
) -> Iterable[ComparedRun]:
    """A full list says nothing about later times; what lies beyond it is neither lost nor added."""
    ends = [side[-1] for side in (before, after) if len(side) == COMPARED]
    horizon = min(ends, default=None)
    return (run for run in runs if horizon is None or run.instant <= horizon)


def _name_others(runs: Sequence[ComparedRun], actor: Actor, schedule_id: int | None) -> None:
    rows = visible_schedules(actor).enabled().exclude(id=schedule_id or 0)
    rows = rows.order_by("next_run_at", "id")
    others = list(rows.defer("args", "kwargs", "description")[:LOOKED_AT])
    for run in runs:
        if run.new is None:
            continue
        minute = run.instant.replace(second=0, microsecond=0)
        sharing = [other for other in others if runs_in_minute(other.times, minute)]
        run.others, run.more = sharing[:NAMED], max(0, len(sharing) - NAMED)


def runs_in_minute(times: Times, minute: datetime) -> bool:
    """Whether one of the times lies within this minute. False for corrupt ones."""
    try:
        if times.cron and not _may_match(times, minute):
            return False
        found = schedule_times.next_fire(times, minute - _SECOND)
    except ControlPlaneError:
        return False
    return found is not None and found < minute + _MINUTE


def _may_match(times: Times, minute: datetime) -> bool:
    """Cheap, and never wrongly False: right after a change a time may have been moved here."""
    zone = zone_named(times.timezone)
    if next_change(minute - 3 * timedelta(hours=1), minute + _MINUTE, zone) is not None:
        return True
    wall = wall_of(minute, zone)
    expression = parse(times.cron)
    if wall.minute not in expression.minutes or wall.hour not in expression.hours:
        return False
    found = next_wall(expression, wall - _SECOND)
    return found is not None and found < wall + _MINUTE
