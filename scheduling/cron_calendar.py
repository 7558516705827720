"""A parsed cron expression and the wall-clock times it names, on a calendar without zones.

croniter expands the fields; the search is ours, so that no daylight-saving guess is hidden in it.
"""

import calendar
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Any

from croniter import CroniterError, croniter

from scheduling import cron_dialect
from scheduling.errors import InvalidCron

#: 29 February on a given weekday comes every 28 years, over a century without leap year after 40.
HORIZON_YEARS = 41
#: No answers beyond: the last days of the calendar have no room for offsets.
LAST_YEAR = 9998

_ALL_WEEKDAYS = frozenset(range(7))


@dataclass(frozen=True, slots=True)
class Expression:
    """The fields of one expression as sorted numbers. Weekdays count from Sunday, 0."""

    text: str
    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    months: tuple[int, ...]
    days: frozenset[int]
    last_day: bool
    nearest_weekday: int | None
    weekdays: frozenset[int]
    #: (weekday, which one in the month); -1 is the last.
    nth_weekdays: frozenset[tuple[int, int]]
    #: Either day field suffices (Unix, when neither begins with `*`); else both must match.
    either_day: bool
    #: It names wall times; otherwise it follows elapsed time. Matters when the clock changes.
    fixed: bool


@lru_cache(maxsize=20_000)
def parse(text: str) -> Expression:
    """Raises InvalidCron for text outside the dialects, and for an expression that never fires."""
    stored = cron_dialect.canonical(text)
    fields = cron_dialect.NICKNAMES.get(stored, stored).split()
    try:
        expanded = croniter(cron_dialect.for_croniter(fields), second_at_beginning=True)
    except (CroniterError, ValueError, KeyError) as error:
        raise InvalidCron(f"The cron expression {stored} is not understood: {error}.") from error
    expression = _expression(stored, fields, expanded)
    if next_date(expression, date(1999, 12, 31)) is None:
        raise InvalidCron(f"{stored} never fires: no month has such a day.")
    return expression


def _expression(stored: str, fields: list[str], parsed: Any) -> Expression:
    minute, hour, day, month, weekday, second = parsed.expanded
    day_words, weekday_words = fields[-3], fields[-1]
    nearest = next(iter(parsed.nearest_weekday), None)
    nth = {(w, -1 if n == "l" else n) for w, ns in parsed.nth_weekday_of_month.items() for n in ns}
    return Expression(
        text=stored,
        seconds=_numbers(second, 0, 59),
        minutes=_numbers(minute, 0, 59),
        hours=_numbers(hour, 0, 23),
        months=_numbers(month, 1, 12),
        days=frozenset(() if nearest else _numbers([d for d in day if d != "l"], 1, 31)),
        last_day="l" in day,
        nearest_weekday=nearest,
        weekdays=frozenset(() if nth else _numbers(weekday, 0, 6)),
        nth_weekdays=frozenset(nth),
        either_day=len(fields) == 5 and "*" not in {day_words[0], weekday_words[0]},
        fixed=cron_dialect.is_fixed(fields),
    )


def _numbers(values: list[Any], low: int, high: int) -> tuple[int, ...]:
    return tuple(range(low, high + 1)) if values == ["*"] else tuple(sorted(set(values)))


def next_wall(expression: Expression, after: datetime) -> datetime | None:
    """The first naive wall time strictly after `after`; None when none comes within the horizon."""
    day = after.date()
    if _names_date(expression, day):
        later = _next_time(expression, after.time())
        if later is not None:
            return datetime.combine(day, later)
    coming = next_date(expression, day)
    if coming is None:
        return None
    first = time(expression.hours[0], expression.minutes[0], expression.seconds[0])
    return datetime.combine(coming, first)


def next_date(expression: Expression, after: date) -> date | None:
    """The first named date strictly after `after`, within the horizon."""
    tomorrow = after + timedelta(days=1)
    if _names_date(expression, tomorrow):
        return tomorrow
    for year in range(after.year, min(after.year + HORIZON_YEARS, LAST_YEAR) + 1):
        for month in expression.months:
            if (year, month) < (after.year, after.month):
                continue
            for day in range(1, calendar.monthrange(year, month)[1] + 1):
                candidate = date(year, month, day)
                if candidate > after and _names_date(expression, candidate):
                    return candidate
    return None


def _next_time(expression: Expression, after: time) -> time | None:
    hours, minutes, seconds = expression.hours, expression.minutes, expression.seconds
    if _has(hours, after.hour):
        if _has(minutes, after.minute):
            at = bisect_right(seconds, after.second)
            if at < len(seconds):
                return time(after.hour, after.minute, seconds[at])
        at = bisect_right(minutes, after.minute)
        if at < len(minutes):
            return time(after.hour, minutes[at], seconds[0])
    at = bisect_right(hours, after.hour)
    return time(hours[at], minutes[0], seconds[0]) if at < len(hours) else None


def _has(numbers: tuple[int, ...], number: int) -> bool:
    at = bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number


def _names_date(expression: Expression, day: date) -> bool:
    if day.month not in expression.months or day.year > LAST_YEAR:
        return False
    if expression.either_day:
        return _names_day(expression, day) or _names_weekday(expression, day)
    return _names_day(expression, day) and _names_weekday(expression, day)


def _names_day(expression: Expression, day: date) -> bool:
    if day.day in expression.days:
        return True
    if not expression.last_day and expression.nearest_weekday is None:
        return False
    last = calendar.monthrange(day.year, day.month)[1]
    if expression.last_day and day.day == last:
        return True
    wanted = expression.nearest_weekday
    return wanted is not None and day == _nearest_weekday(day.replace(day=min(wanted, last)), last)


def _nearest_weekday(day: date, last: int) -> date:
    """The Monday to Friday nearest to a day, without leaving its month."""
    if day.weekday() == calendar.SATURDAY:
        return day - timedelta(days=1) if day.day > 1 else day + timedelta(days=2)
    if day.weekday() == calendar.SUNDAY:
        return day + timedelta(days=1) if day.day < last else day - timedelta(days=2)
    return day


def _names_weekday(expression: Expression, day: date) -> bool:
    if expression.weekdays == _ALL_WEEKDAYS:
        return True
    weekday = day.isoweekday() % 7
    if weekday in expression.weekdays:
        return True
    if not expression.nth_weekdays:
        return False
    if (weekday, (day.day + 6) // 7) in expression.nth_weekdays:
        return True
    is_last = day.day + 7 > calendar.monthrange(day.year, day.month)[1]
    return is_last and (weekday, -1) in expression.nth_weekdays
