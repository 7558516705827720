"""The next 24 hours: when each enabled schedule runs, and how many run together."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby, islice, takewhile

from controlplane.actors import Actor
from controlplane.errors import ControlPlaneError
from scheduling import times as schedule_times
from scheduling.models import JobSchedule
from scheduling.queries import visible_schedules
from scheduling.times import Times

SPAN = timedelta(hours=24)
MINUTES = 24 * 60
#: One cell of the load, minutes.
CELL = 15
#: Schedules that are drawn, those that run next; and runs counted for all of them together.
LANES = 200
BUDGET = 300_000
#: Coming runs in the table, of schedules that run at most so often: others would fill it.
LISTED = 50
SELDOM = 24
#: Shades of the load.
LEVELS = 4
_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Lane:
    """A schedule's runs. `stretches` are (first minute, how many minutes) in which it runs."""

    schedule: JobSchedule
    begins: datetime | None
    total: int
    stretches: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Cell:
    """A quarter of an hour: its beginning, how many runs, and a shade from 0 to LEVELS."""

    begin: datetime
    total: int
    level: int


@dataclass(frozen=True, slots=True)
class ListedRun:
    instant: datetime
    schedule: JobSchedule


@dataclass(frozen=True, slots=True)
class Timeline:
    """`left_out` counts enabled schedules that are not drawn: beyond LANES, BUDGET or corrupt."""

    begin: datetime
    lanes: list[Lane]
    cells: list[Cell]
    runs: list[ListedRun]
    left_out: int

    @property
    def hours(self) -> list[datetime]:
        """Every third hour from the beginning."""
        return [self.begin + timedelta(hours=hours) for hours in range(0, 24, 3)]


def timeline(actor: Actor, now: datetime) -> Timeline:
    """From the beginning of the present quarter of an hour on, of what the actor may see."""
    begin = now.replace(minute=now.minute // CELL * CELL, second=0, microsecond=0)
    rows = visible_schedules(actor).enabled().filter(next_run_at__lt=begin + SPAN)
    rows = rows.order_by("next_run_at", "id")
    schedules = list(rows.defer("args", "kwargs", "description")[:LANES])
    found = _runs_of_all(schedules, begin, now)
    lanes = [_lane(schedule, begin, instants) for schedule, instants in found]
    return Timeline(
        begin,
        lanes,
        _cells(begin, [instants for _, instants in found]),
        _listed(found),
        rows.count() - len(lanes),
    )


def _runs_of_all(
    schedules: Sequence[JobSchedule], begin: datetime, now: datetime
) -> list[tuple[JobSchedule, Sequence[datetime]]]:
    """Schedules with equal times are computed once."""
    known: dict[Times, Sequence[datetime]] = {}
    left, found = BUDGET, []
    for schedule in schedules:
        times = schedule.times
        if times not in known:
            try:
                until = takewhile(lambda t: t < begin + SPAN, schedule_times.fires(times, now))
                instants = list(islice(until, left + 1))
            except ControlPlaneError:
                continue
            if len(instants) > left:
                continue
            known[times] = instants
            left -= len(instants)
        found.append((schedule, known[times]))
    return found


def _lane(schedule: JobSchedule, begin: datetime, instants: Sequence[datetime]) -> Lane:
    minutes = dict.fromkeys((instant - begin) // _MINUTE for instant in instants)
    stretches = list(_stretches(list(minutes)))
    return Lane(schedule, next(iter(instants), None), len(instants), stretches)


def _stretches(minutes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Consecutive numbers as their first and how many there are."""
    numbered = enumerate(minutes)
    for _, group in groupby(numbered, key=lambda pair: pair[1] - pair[0]):
        run = [minute for _, minute in group]
        yield run[0], len(run)


def _cells(begin: datetime, lanes: Sequence[Sequence[datetime]]) -> list[Cell]:
    size = timedelta(minutes=CELL)
    counts = Counter((instant - begin) // size for instants in lanes for instant in instants)
    most = max(counts.values(), default=0)
    return [
        Cell(
            begin + number * size,
            counts[number],
            -(-counts[number] * LEVELS // most) if most else 0,
        )
        for number in range(MINUTES // CELL)
    ]


def _listed(found: Sequence[tuple[JobSchedule, Sequence[datetime]]]) -> list[ListedRun]:
    seldom = [(schedule, instants) for schedule, instants in found if len(instants) <= SELDOM]
    runs = [ListedRun(instant, schedule) for schedule, instants in seldom for instant in instants]
    return sorted(runs, key=lambda run: (run.instant, run.schedule.id))[:LISTED]
