"""What a new installation holds: somebody to sign in as, schedules that do real work."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from accounts.actions import ensure_first_admin
from controlplane.actors import SYSTEM
from controlplane.errors import ControlPlaneError
from controlplane.up.errors import UpError
from scheduling import actions, crontab, imported
from scheduling.builtin import ensure_builtin_schedules
from scheduling.crontab import ImportedLine
from scheduling.errors import InvalidTransition
from scheduling.models import JobSchedule

ADMIN_EMAIL = "admin@localhost"
PASSWORD_FILE = "admin_password"  # noqa: S105 (a file's name)

type Say = Callable[[str, str], None]


def prepare_admin(var_dir: Path, say: Say) -> None:
    """Make the first administrator and tell the password, this once."""
    file = var_dir / PASSWORD_FILE
    admin = ensure_first_admin(email=ADMIN_EMAIL, password_file=file)
    if admin.password:
        say("Administrator", f"{admin.email}, password {admin.password} (kept in {file})")
    elif file.exists():
        say("Administrator", f"{admin.email}, password in {file}")
    else:
        say("Administrator", admin.email)


def prepare_schedules(health_url: str, say: Say) -> list[JobSchedule]:
    """Make the built-in schedules, or point them at the present address."""
    schedules = ensure_builtin_schedules(health_url)
    say("Schedules", ", ".join(schedule.name for schedule in schedules))
    return schedules


def read_crontab(path: Path) -> str:
    """Return a crontab's text. Raises UpError naming the file when it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UpError(f"Cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UpError(f"{path} is not a crontab: {error}") from error


def import_named_crontab(path: Path, text: str, say: Say) -> list[ImportedLine]:
    """Import the crontab that a person named; its lines are to run."""
    lines = crontab.import_crontab(text, source=str(path), actor=SYSTEM, enable=True)
    tell(path, lines, say)
    return lines


def import_system_crontabs(say: Say) -> None:
    """Import what this machine's own cron does, to be looked at; nothing of it runs."""
    for path in crontab.readable_system_crontabs():
        try:
            text = read_crontab(path)
        except UpError as error:
            say("Crontab", str(error))
            continue
        lines = crontab.import_crontab(text, source=str(path), actor=SYSTEM, enable=False)
        tell(path, lines, say)


def tell(path: Path, lines: list[ImportedLine], say: Say) -> None:
    """Say what became of a crontab's lines, with the reason where there is one to give."""
    counts = Counter(fate(line) for line in lines if line.status != "ignored")
    words = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    say("Crontab", f"{path}: {words or 'no jobs in it'}")
    for line in lines:
        if line.reason and line.reason != imported.NOT_ENABLED:
            where = f"line {line.line_number}" if line.line_number else line.text
            say("", f"{where} {fate(line)}: {line.reason}")


def fate(line: ImportedLine) -> str:
    """Say in one word what a line is now: a schedule's status, or why there is no schedule."""
    return line.schedule.schedule_status.lower() if line.schedule else line.status


def start_first_runs(schedules: list[JobSchedule], say: Say) -> None:
    """Run the built-in schedules now, so that there is something to see within seconds."""
    for schedule in schedules:
        try:
            actions.run_now(schedule_id=schedule.id, actor=SYSTEM, reason="first run after start")
        except InvalidTransition:
            # The scheduler was quicker.
            continue
        except ControlPlaneError as error:
            say("", f"{schedule.name} was not started: {error.message}")
