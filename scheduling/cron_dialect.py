"""The cron dialects we speak: which text is accepted, its one stored form, what is refused and why.

Five fields (Unix) or six (Spring: seconds first), and the `@` names. Pure text: no calendar.
"""

import re
from dataclasses import dataclass, field

from scheduling.errors import InvalidCron

#: Longest expression accepted, characters.
MAX_LENGTH = 255

NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")

_ITEM = re.compile(r"(?P<low>\*|[0-9]+|[A-Z]{3})(-(?P<high>[0-9]+|[A-Z]{3}))?(/(?P<step>[0-9]+))?")
_NEAREST_WEEKDAY = re.compile(r"W?(?P<day>[0-9]+)W?")
_LAST_WEEKDAY = re.compile(r"L(?P<after>[0-9]+|[A-Z]{3})|(?P<before>[0-9]+|[A-Z]{3})L")
_NTH_WEEKDAY = re.compile(r"(?P<weekday>[0-9]+|[A-Z]{3})#(?P<nth>[0-9]+)")
_CHANCE = re.compile(r"[RH](\(.*\))?(/.*)?")


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its name in messages, its bounds and the names that stand for numbers."""

    name: str
    low: int
    high: int
    names: dict[str, int] = field(default_factory=dict, hash=False)

    def number(self, value: str) -> int:
        """What a canonical value, a number or a name, stands for."""
        return self.names[value] if value in self.names else int(value)


SECOND = Field("second", 0, 59)
MINUTE = Field("minute", 0, 59)
HOUR = Field("hour", 0, 23)
DAY = Field("day of month", 1, 31)
MONTH = Field("month", 1, 12, {name: i + 1 for i, name in enumerate(_MONTHS)})
#: Sunday is 0 or 7.
WEEKDAY = Field("day of week", 0, 7, {name: i for i, name in enumerate(_WEEKDAYS)})

TIME_OF_DAY = (SECOND, MINUTE, HOUR)
UNIX = (MINUTE, HOUR, DAY, MONTH, WEEKDAY)
SPRING = (SECOND, *UNIX)


def canonical(text: str) -> str:
    """The one stored form: single spaces, upper case, no leading zeros.

    Raises InvalidCron, naming the field at fault and what is allowed in it.
    """
    if len(text) > MAX_LENGTH:
        raise InvalidCron(f"A cron expression has at most {MAX_LENGTH} characters.")
    if not text.isascii() or any(not c.isprintable() and c not in "\t\n\r" for c in text):
        raise InvalidCron("A cron expression holds plain ASCII characters only.")
    words = text.split()
    if not words:
        raise InvalidCron("The cron expression is empty.")
    if words[0].startswith("@"):
        return _nickname(words)
    if len(words) == 7:
        raise InvalidCron("Seven fields (with a year) are not accepted; use five, or six.")
    if len(words) not in {5, 6}:
        raise InvalidCron(
            "A cron expression has five fields (minute, hour, day of month, month, day of week) "
            f"or six (seconds first), not {len(words)}."
        )
    fields = UNIX if len(words) == 5 else SPRING
    return " ".join(_canonical_field(f, w.upper()) for f, w in zip(fields, words, strict=True))


def is_fixed(fields: list[str]) -> bool:
    """Whether the time-of-day fields hold only numbers and lists, so that they name wall times."""
    return not any(c in word for word in fields[:-3] for c in "*-/")


def for_croniter(fields: list[str]) -> str:
    """The canonical fields in croniter's spelling: six, names as numbers, `5L` as `L5`."""
    six = fields if len(fields) == 6 else ["0", *fields]
    return " ".join(_spell_for_croniter(f, w) for f, w in zip(SPRING, six, strict=True))


def _nickname(words: list[str]) -> str:
    name = words[0].lower()
    if len(words) == 1 and name in NICKNAMES:
        return name
    if name == "@reboot":
        raise InvalidCron("@reboot names no time, so it cannot be scheduled.")
    raise InvalidCron(f"{' '.join(words)} is not one of {', '.join(NICKNAMES)}.")


def _canonical_field(which: Field, text: str) -> str:
    if text == "?" and which in {DAY, WEEKDAY}:
        return "*"
    items = [_canonical_item(which, item) for item in text.split(",")]
    if which is WEEKDAY and any(_is_special(i) for i in items) and not all(map(_is_special, items)):
        raise InvalidCron(f"{which.name}: plain days cannot be mixed with # or L in one list.")
    if which is DAY and len(items) > 1 and any(i.endswith("W") for i in items):
        raise InvalidCron(f"{which.name}: W stands alone, not in a list.")
    return ",".join(items)


def _is_special(item: str) -> bool:
    return "#" in item or item.endswith("L")


def _canonical_item(which: Field, item: str) -> str:
    if _CHANCE.fullmatch(item):
        what = "R (random)" if item[0] == "R" else "H (hashed)"
        raise InvalidCron(
            f"{which.name}: {what} is not accepted, since its times are not written down."
        )
    if which is DAY and item == "L":
        return item
    if which is DAY and "W" in item and (match := _NEAREST_WEEKDAY.fullmatch(item)):
        return f"{_value(which, match['day'])}W"
    if which is WEEKDAY and (match := _NTH_WEEKDAY.fullmatch(item)):
        if not 1 <= int(match["nth"][:3]) <= 5:
            raise InvalidCron(f"{which.name}: the number after # is from 1 to 5, not {item}.")
        return f"{_value(which, match['weekday'])}#{int(match['nth'])}"
    if which is WEEKDAY and (match := _LAST_WEEKDAY.fullmatch(item)):
        return f"{_value(which, match['after'] or match['before'])}L"
    return _canonical_range(which, item)


def _canonical_range(which: Field, item: str) -> str:
    match = _ITEM.fullmatch(item)
    if match is None or (match["low"] == "*" and match["high"]):
        raise InvalidCron(f"{which.name}: {item or 'an empty item'} is not understood.")
    step = _step(which, match["step"])
    low = match["low"] if match["low"] == "*" else _value(which, match["low"])
    if match["high"] is None:
        return low + step
    high = _value(which, match["high"])
    # From a value to itself is the value; but a range in the time of day follows elapsed time.
    if which not in TIME_OF_DAY and which.number(low) == which.number(high):
        return low
    return f"{low}-{high}{step}"


def _step(which: Field, text: str | None) -> str:
    if text is None:
        return ""
    longest = which.high - which.low + 1
    if not 1 <= int(text[:5]) <= longest:
        raise InvalidCron(f"{which.name}: a step is from 1 to {longest}, not {text[:20]}.")
    return f"/{int(text)}"


def _value(which: Field, text: str) -> str:
    """A number without leading zeros, or a known name as it is."""
    if text in which.names:
        return text
    if not text.isdigit():
        raise InvalidCron(f"{which.name}: {text} is no name known here.")
    if not which.low <= int(text[:9]) <= which.high:
        raise InvalidCron(f"{which.name}: {text[:20]} is not from {which.low} to {which.high}.")
    return str(int(text))


def _spell_for_croniter(which: Field, text: str) -> str:
    if which.names:
        text = re.sub("|".join(which.names), lambda match: str(which.names[match[0]]), text)
    if which is WEEKDAY:
        text = re.sub(r"(\d)L", r"L\1", text)
    return ",".join(_unrolled(which, item) for item in text.split(","))


def _unrolled(which: Field, item: str) -> str:
    """A range over the field's end as a list, since croniter loses count of its steps there; and
    one from a value to itself, which croniter reads as the whole field.
    """
    match = re.fullmatch(r"(\d+)-(\d+)(?:/(\d+))?", item)
    if match is None or int(match[1]) < int(match[2]):
        return item
    size = 7 if which is WEEKDAY else which.high - which.low + 1
    length = (int(match[2]) - int(match[1])) % size
    numbers = (int(match[1]) - which.low + i for i in range(0, length + 1, int(match[3] or 1)))
    return ",".join(str(number % size + which.low) for number in numbers)
