"""What a person is shown of times before they are saved: words, next runs, changes of the clock."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from zoneinfo import TZPATH

from scheduling import times as schedule_times
from scheduling.cron_zones import wall_of, zone_named
from scheduling.times import Times
from scheduling.transitions import Change, changes_between, note_of

#: Coming runs that are shown.
RUNS = 5
#: How far ahead changes of the clock are looked for.
AHEAD = timedelta(days=366)


@dataclass(frozen=True, slots=True)
class PreviewRun:
    """A coming run, what the schedule's clock shows then, and what is special about it."""

    instant: datetime
    wall: datetime
    #: What the zone calls its clock then, such as CEST.
    abbreviation: str
    note: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What times mean."""

    words: str
    runs: list[PreviewRun]
    changes: list[Change]
    #: There are no more runs than these.
    is_complete: bool


def preview_of(times: Times, now: datetime, count: int = RUNS) -> Preview:
    """What these times mean from now on. Raises InvalidCron and InvalidZone."""
    found = list(islice(schedule_times.fires(times, now), count + 1))
    return Preview(
        words=schedule_times.describe(times),
        runs=preview_runs(times, found[:count]),
        changes=changes_between(times, now, _end(times, now)) if found else [],
        is_complete=len(found) <= count,
    )


def preview_runs(times: Times, instants: list[datetime]) -> list[PreviewRun]:
    """The runs at these instants as the schedule's zone sees them."""
    zone = zone_named(times.timezone)
    return [
        PreviewRun(time, wall_of(time, zone), f"{time.astimezone(zone):%Z}", note_of(times, time))
        for time in instants
    ]


def zone_data() -> str:
    """Which edition of the time zone data is in use, such as 2026a; empty when none can be told."""
    for folder in TZPATH:
        source = Path(folder) / "tzdata.zi"
        if source.is_file():
            with source.open(encoding="ascii", errors="replace") as lines:
                return next(lines, "").removeprefix("# version").strip()
        if (Path(folder) / "UTC").is_file():
            return "the system's"
    try:
        return version("tzdata")
    except PackageNotFoundError:
        return ""


def _end(times: Times, now: datetime) -> datetime:
    ahead = now + AHEAD
    return ahead if times.ends_at is None else min(ahead, times.ends_at)
