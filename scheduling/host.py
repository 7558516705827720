"""What a crontab leaves for the machine to say: its zone, its users, whose crontab a file is."""

import pwd
from contextlib import suppress
from pathlib import Path

from scheduling.cron_zones import zone_names

_LOCALTIME = Path("/etc/localtime")
_TIMEZONE = Path("/etc/timezone")
#: Files here are named after the user whose crontab they are.
_SPOOLS = (Path("/var/spool/cron/crontabs"), Path("/var/spool/cron"))


def machine_zone() -> str:
    """The zone that the machine's own cron goes by; UTC where none can be made out.

    Not the variable TZ: Django sets it for its own process.
    """
    parts = _LOCALTIME.resolve().parts
    tails = ["/".join(parts[i + 1 :]) for i, part in enumerate(parts) if part == "zoneinfo"]
    with suppress(OSError):
        tails.append(_TIMEZONE.read_text(encoding="ascii", errors="replace").strip())
    return next((tail for tail in tails if tail in zone_names()), "UTC")


def user_names() -> frozenset[str]:
    """The names of this machine's users."""
    return frozenset(entry.pw_name for entry in pwd.getpwall())


def crontab_owner(source: str) -> str:
    """The user whose own crontab a file of cron's spool is; empty for any other file."""
    path = Path(source)
    return path.name if path.parent in _SPOOLS else ""
