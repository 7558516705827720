"""The visual builder: simple choices as a cron expression, and back where possible. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from scheduling.errors import InvalidCron

WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
#: Offered as they are: the expression and what people call it.
PRESETS = (
    ("*/5 * * * *", "every 5 minutes"),
    ("0 * * * *", "hourly"),
    ("0 3 * * *", "daily at 03:00"),
    ("0 8 * * 1-5", "weekdays at 08:00"),
    ("0 3 * * 0", "Sundays at 03:00"),
    ("0 3 1 * *", "on the 1st at 03:00"),
)
#: Numbers that divide the minute of an hour, or the hours of a day, evenly.
EVEN = {"minutes": (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30), "hours": (1, 2, 3, 4, 6, 8, 12)}
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")


class Kind(StrEnum):
    """What the builder can build."""

    INTERVAL = "interval"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    CUSTOM = "custom"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a person chose; only the fields of the kind count."""

    kind: Kind = Kind.DAILY
    every: int = 5
    unit: str = "minutes"
    clock: str = "03:00"
    #: Numbers of weekdays, Sunday is 0.
    weekdays: Sequence[int] = (1,)
    #: Day of the month, or `L` for the last one.
    day: str = "1"
    #: Minute, hour, day of month, month, day of week.
    custom: Sequence[str] = ("0", "3", "*", "*", "*")


def build(choices: Choices) -> str:
    """The expression. Raises InvalidCron, naming the field, for choices that make none."""
    if choices.kind is Kind.INTERVAL:
        return _interval(choices)
    if choices.kind is Kind.CUSTOM:
        return " ".join(field.strip().replace(" ", "") or "*" for field in choices.custom)
    hour, minute = _clock(choices.clock)
    if choices.kind is Kind.DAILY:
        return f"{minute} {hour} * * *"
    if choices.kind is Kind.MONTHLY:
        return f"{minute} {hour} {_day(choices.day)} * *"
    days = sorted(set(choices.weekdays))
    if not days or not all(0 <= day <= 6 for day in days):
        raise InvalidCron("Choose at least one day of the week.", field="builder_weekdays")
    return f"{minute} {hour} * * {','.join(map(str, days))}"


def read(expression: str) -> Choices:
    """The choices that build this expression; custom ones for any other of five fields."""
    fields = expression.split()
    if len(fields) != 5:
        return Choices(kind=Kind.DAILY)
    found = _read_interval(fields) or _read_clock(fields)
    return found or Choices(kind=Kind.CUSTOM, custom=fields)


def _interval(choices: Choices) -> str:
    even = EVEN.get(choices.unit)
    if even is None:
        raise InvalidCron("An interval is in minutes or hours.", field="builder_unit")
    if choices.every not in even:
        raise InvalidCron(
            f"Every {choices.every} {choices.unit} does not come out even: a cron begins anew "
            f"each {'hour' if choices.unit == 'minutes' else 'day'}. Choose one of "
            f"{', '.join(map(str, even))}, or an interval of elapsed time instead.",
            field="builder_every",
        )
    step = "*" if choices.every == 1 else f"*/{choices.every}"
    return f"{step} * * * *" if choices.unit == "minutes" else f"0 {step} * * *"


def _clock(text: str) -> tuple[int, int]:
    match = _CLOCK.fullmatch(text.strip()[:5])
    if match is None:
        raise InvalidCron("A time of day is written like 03:00.", field="builder_clock")
    return int(match[1]), int(match[2])


def _day(text: str) -> str:
    if text.upper() == "L":
        return "L"
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:3]) <= 31):
        raise InvalidCron("A day of the month is from 1 to 31, or L.", field="builder_day")
    return str(int(text))


def _read_interval(fields: list[str]) -> Choices | None:
    minute, hour, *days = fields
    if days != ["*", "*", "*"]:
        return None
    for field, unit, fits in (
        (minute, "minutes", hour == "*"),
        (hour, "hours", minute == "0"),
    ):
        match = re.fullmatch(r"\*(?:/([0-9]+))?", field)
        if fits and match and int(match[1] or 1) in EVEN[unit]:
            return Choices(kind=Kind.INTERVAL, every=int(match[1] or 1), unit=unit)
    return None


def _read_clock(fields: list[str]) -> Choices | None:
    minute, hour, day, month, weekday = fields
    if not (minute.isdigit() and hour.isdigit() and month == "*"):
        return None
    clock = f"{int(hour):02}:{int(minute):02}"
    if day == weekday == "*":
        return Choices(kind=Kind.DAILY, clock=clock)
    if day == "*" and (days := _weekdays(weekday)):
        return Choices(kind=Kind.WEEKLY, clock=clock, weekdays=days)
    if weekday == "*" and (day.isdigit() or day == "L"):
        return Choices(kind=Kind.MONTHLY, clock=clock, day=day)
    return None


def _weekdays(text: str) -> list[int]:
    """The days of a list or of one range of numbers; none for anything else."""
    if match := re.fullmatch(r"([0-6])-([0-6])", text):
        return list(range(int(match[1]), int(match[2]) + 1))
    if re.fullmatch(r"[0-7](,[0-7])*", text):
        return sorted({int(day) % 7 for day in text.split(",")})
    return []
