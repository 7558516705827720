"""Which dates and numbers a cron expression names, spelled out from the definitions."""

from datetime import date, timedelta
from functools import lru_cache

MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
BOUNDS = ((0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
DAY = timedelta(days=1)


@lru_cache(maxsize=1000)
def numbers(expression: str) -> tuple[frozenset[int], ...]:
    """The numbers of each of the six fields, L, W and # left out."""
    fields = expression.upper().split()
    six = fields if len(fields) == 6 else ["0", *fields]
    return tuple(
        frozenset(n for item in word.split(",") if _is_plain(item) for n in _item(item, *bounds))
        for word, bounds in zip(six, BOUNDS, strict=True)
    )


def names_date(expression: str, day: date) -> bool:
    """Whether an expression names a date."""
    fields = expression.upper().split()
    *_, days, months, weekdays = numbers(expression)
    if day.month not in months:
        return False
    by_day = day.day in days or any(
        _special_day(item, day) for item in fields[-3].split(",") if not _is_plain(item)
    )
    by_weekday = day.isoweekday() % 7 in weekdays or any(
        _special_weekday(item, day) for item in fields[-1].split(",") if not _is_plain(item)
    )
    stars = "*" in {fields[-3][0], fields[-1][0]}
    return by_day or by_weekday if len(fields) == 5 and not stars else by_day and by_weekday


def _is_plain(item: str) -> bool:
    return not ("#" in item or item == "L" or (item.endswith(("W", "L")) and item[:-1].isdigit()))


def _item(item: str, low: int, high: int) -> list[int]:
    span, _, step = item.partition("/")
    if span == "*":
        return list(range(low, high + 1, int(step or 1)))
    first, _, last = span.partition("-")
    if high == 6 and last == "7" != first:  # Sunday at the end of the week
        return [n % 7 for n in range(_number(first, high), 8, int(step or 1))]
    begin = _number(first, high)
    end = _number(last, high) if last else (high if step else begin)
    size = high - low + 1
    length = (end - begin) % size
    return [(begin - low + i) % size + low for i in range(0, length + 1, int(step or 1))]


def _number(word: str, high: int) -> int:
    if word.isdigit():
        return int(word) % 7 if high == 6 else int(word)
    return WEEKDAYS.index(word) if high == 6 else MONTHS.index(word) + 1


def _special_day(item: str, day: date) -> bool:
    if item == "L":
        return (day + DAY).month != day.month
    wanted = int(item[:-1])
    of_month = [day.replace(day=n) for n in range(1, 32) if _exists(day, n)]
    aim = min(wanted, of_month[-1].day)
    weekdays = [d for d in of_month if d.isoweekday() <= 5]
    return day == min(weekdays, key=lambda d: abs(d.day - aim))


def _exists(day: date, number: int) -> bool:
    return (day.replace(day=1) + DAY * (number - 1)).month == day.month


def _special_weekday(item: str, day: date) -> bool:
    if item.endswith("L"):
        return day.isoweekday() % 7 == _number(item[:-1], 6) and (day + 7 * DAY).month != day.month
    weekday, _, which = item.partition("#")
    if day.isoweekday() % 7 != _number(weekday, 6):
        return False
    earlier = sum(1 for weeks in range(1, 5) if (day - weeks * 7 * DAY).month == day.month)
    return earlier + 1 == int(which)
