"""What a schedule's history can be narrowed to: four bounds, each by itself, all in UTC.

A date bounds the day and a time the time of day, whatever the other says. A browser in another zone
sends its days as instants, and its times of day as windows; both are UTC all the same.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import F, Q, QuerySet
from django.db.models.functions import TruncTime

from controlplane.errors import InvalidInput
from jobs.lifecycle import Outcome
from jobs.models import JobExecution

_DAY = timedelta(days=1)
_TIME = re.compile(r"([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?")


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """From `first` on and before `end`; None is midnight. Over midnight when `end` is earlier."""

    first: time
    end: time | None

    def condition(self, column: str) -> Q:
        """That this time of day, an annotation, lies within."""
        after = Q(**{f"{column}__gte": self.first})
        if self.end is None:
            return after
        before = Q(**{f"{column}__lt": self.end})
        return (after & before) if self.first < self.end else (after | before)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """None asks for nothing."""

    started_from: datetime | None = None
    started_within: TimeOfDay | None = None
    ended_before: datetime | None = None
    ended_within: TimeOfDay | None = None
    outcome: Outcome | None = None

    @property
    def is_narrowed(self) -> bool:
        return self != RunFilter()


def run_filter(parameters: Mapping[str, str]) -> RunFilter:
    """Read `start_date`, `start_time`, `end_date`, `end_time` and `outcome`.

    Raises InvalidInput naming the field and what is allowed.
    """
    return RunFilter(
        started_from=_moment(parameters, "start_date", day_after=False),
        started_within=_time_of_day(parameters, "start_time", from_then_on=True),
        ended_before=_moment(parameters, "end_date", day_after=True),
        ended_within=_time_of_day(parameters, "end_time", from_then_on=False),
        outcome=_outcome(parameters),
    )


def narrowed(rows: QuerySet[JobExecution], wanted: RunFilter) -> QuerySet[JobExecution]:
    """Those of the executions that pass every bound; one without the time bounded passes none."""
    if wanted.started_from is not None:
        rows = rows.filter(started_at__gte=wanted.started_from)
    if wanted.ended_before is not None:
        rows = rows.filter(finished_at__lt=wanted.ended_before)
    for window, column in (
        (wanted.started_within, "started_at"),
        (wanted.ended_within, "finished_at"),
    ):
        if window is not None:
            clock = f"{column}_clock"
            rows = rows.annotate(**{clock: TruncTime(F(column), tzinfo=UTC)})
            rows = rows.filter(window.condition(clock))
    return rows.filter(status=wanted.outcome) if wanted.outcome else rows


def _moment(parameters: Mapping[str, str], name: str, *, day_after: bool) -> datetime | None:
    """Where the bound lies: at an instant, or at the beginning or the end of a day."""
    raw = parameters.get(name, "").strip()
    if not raw:
        return None
    try:
        if len(raw) == len("2026-11-30"):
            day = datetime.combine(date.fromisoformat(raw), time(), UTC)
            return day + _DAY if day_after else day
        instant = datetime.fromisoformat(raw)
        if instant.tzinfo is not None:
            return instant.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise InvalidInput(
        f"{name} must be a date such as 2026-11-30, in UTC, or an instant such as "
        "2026-11-30T08:00Z.",
        field=name,
    )


def _time_of_day(
    parameters: Mapping[str, str], name: str, *, from_then_on: bool
) -> TimeOfDay | None:
    raw = parameters.get(name, "").strip()
    if not raw:
        return None
    first, dash, end = raw.partition("-")
    try:
        if dash:
            return TimeOfDay(_clock(first), _end_of(end))
        if from_then_on:
            return TimeOfDay(_clock(first), None)
        return TimeOfDay(time(), _just_after(first))
    except ValueError:
        raise InvalidInput(
            f"{name} must be a time such as 17:30, in UTC, or a window such as 22:00-06:00.",
            field=name,
        ) from None


def _clock(text: str) -> time:
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return time(int(match[1]), int(match[2]), int(match[3] or 0))


def _end_of(text: str) -> time | None:
    end = _clock(text)
    return None if end == time() else end


def _just_after(text: str) -> time | None:
    """The end of the minute or second that is written; None at the end of the day."""
    unit = timedelta(seconds=1) if text.count(":") == 2 else timedelta(minutes=1)
    after = datetime.combine(date(2000, 1, 1), _clock(text)) + unit
    return after.time() if after.day == 1 else None


def _outcome(parameters: Mapping[str, str]) -> Outcome | None:
    raw = parameters.get("outcome", "").strip()
    if not raw:
        return None
    if raw not in Outcome.values:
        raise InvalidInput(f"outcome must be one of {', '.join(Outcome.values)}.", field="outcome")
    return Outcome(raw)
