"""How times are written on pages: a small set of directives that server and browser share.

static/js/zones.js writes the same ones; what is not here would come out differently in the two.
"""

import re
from collections.abc import Callable
from datetime import datetime

from django.core.exceptions import ImproperlyConfigured

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DIRECTIVE = re.compile("%(.?)", re.DOTALL)

#: Letters after `%`, as in strftime; `%L` is milliseconds.
DIRECTIVES: dict[str, Callable[[datetime], str]] = {
    "Y": lambda moment: f"{moment.year:04}",
    "y": lambda moment: f"{moment.year % 100:02}",
    "m": lambda moment: f"{moment.month:02}",
    "b": lambda moment: _MONTHS[moment.month - 1],
    "d": lambda moment: f"{moment.day:02}",
    "a": lambda moment: _DAYS[moment.weekday()],
    "H": lambda moment: f"{moment.hour:02}",
    "I": lambda moment: f"{(moment.hour + 11) % 12 + 1:02}",
    "p": lambda moment: "AM" if moment.hour < 12 else "PM",
    "M": lambda moment: f"{moment.minute:02}",
    "S": lambda moment: f"{moment.second:02}",
    "L": lambda moment: f"{moment.microsecond // 1000:03}",
    "%": lambda moment: "%",
}


def written(moment: datetime, form: str) -> str:
    """The moment in this form, by its own clock."""
    return _DIRECTIVE.sub(lambda match: DIRECTIVES[match[1]](moment), form)


def check_format(name: str, form: str) -> None:
    """Raises ImproperlyConfigured, naming the option, for an empty form or an unknown directive."""
    unknown = sorted({found for found in _DIRECTIVE.findall(form) if found not in DIRECTIVES})
    if not form.strip() or unknown:
        allowed = " ".join(f"%{letter}" for letter in DIRECTIVES)
        raise ImproperlyConfigured(f"{name} ({form!r}) may hold text and these: {allowed}.")
