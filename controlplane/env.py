"""Typed readers of the environment, used by settings.py alone. A bad value stops the start with its
name.
"""

from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

_env = environ.Env()


def text(name: str, default: str = "") -> str:
    return str(_env.str(name, default=default))


def flag(name: str, *, default: bool = False) -> bool:
    """True or false; anything but on/off, yes/no, true/false, 1/0 is refused rather than read as
    false.
    """
    raw = text(name, "true" if default else "false").strip().lower()
    if raw in {"1", "true", "yes", "on"}:
        return True
    if raw in {"0", "false", "no", "off", ""}:
        return False
    raise ImproperlyConfigured(f"{name} must be true or false, not {raw!r}.")


def number(name: str, default: float, *, minimum: float, maximum: float) -> float:
    raw = text(name, str(default))
    try:
        value = float(raw)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a number, not {raw!r}.") from None
    if not minimum <= value <= maximum:
        raise ImproperlyConfigured(f"{name} must be from {minimum:g} to {maximum:g}, not {raw}.")
    return value


def integer(name: str, default: int, *, minimum: int, maximum: int) -> int:
    value = number(name, default, minimum=minimum, maximum=maximum)
    if value != int(value):
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value:g}.")
    return int(value)


def names(name: str, default: str = "") -> tuple[str, ...]:
    """A comma-separated list, blanks dropped."""
    return tuple(part for part in (raw.strip() for raw in text(name, default).split(",")) if part)


def secret(name: str, default: str = "") -> str:
    """NAME, or the content of the file that NAME_FILE names (for container and systemd secrets)."""
    path = text(f"{name}_FILE")
    if not path:
        return text(name, default)
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"{name}_FILE cannot be read: {error}.") from error
