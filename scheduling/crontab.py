"""Importing crontabs: each line becomes a schedule of the task `run_command`, never two."""

import os
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction

from controlplane.actors import Actor
from controlplane.errors import ControlPlaneError
from scheduling import cron
from scheduling.actions.transition import pause_schedule
from scheduling.crontab_text import Entry, has_user_field, read_crontab
from scheduling.host import crontab_owner, machine_zone, user_names
from scheduling.imported import Import, digest_of, key_of, stored
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
from scheduling.run_as import Runner, runner_for
from scheduling.values import ScheduleValues

TASK = "jobs.tasks.run_command.run_command"
SYSTEM_CRONTAB = Path("/etc/crontab")
SYSTEM_FOLDERS = tuple(map(Path, ("/etc/cron.d", "/var/spool/cron/crontabs", "/var/spool/cron")))


#: Told of a schedule whose line has been taken out of its crontab.
GONE = "its line is no longer in the crontab"


@dataclass(frozen=True, slots=True)
class ImportedLine:
    """What became of a line: created, updated, unchanged, skipped, refused or ignored, and why.

    `gone` is a schedule whose line the file no longer has; its line number is 0.
    """

    line_number: int
    text: str
    status: str
    schedule: JobSchedule | None = None
    reason: str = ""

    @property
    def next_run_at(self) -> datetime | None:
        return self.schedule.next_run_at if self.schedule else None


def import_crontab(
    text: str,
    *,
    source: str,
    actor: Actor,
    enable: bool,
    system: bool | None = None,
    dry_run: bool = False,
) -> list[ImportedLine]:
    """Make or refresh a schedule for each line, in one transaction; return them in its order.
    `dry_run` takes everything back and tells what would have become of them.

    `source` names the text, a path or "-": the same line of the same source is the same schedule.
    `enable` lets the clock fire those that may run here; what a person paused stays so, and without
    it what a person deleted stays away. `system`: lines have a user field; None: found out.
    A line for another user is PAUSED with the reason unless this process may become that user.
    """
    owner = crontab_owner(source)
    if Path(source).is_file():
        source = str(Path(source).resolve())
    if system is None or owner:
        system = not owner and has_user_field(text, user_names())
    table = read_crontab(text, system=system)
    seen: Counter[str] = Counter()
    lines = [ImportedLine(number, "", "ignored", None, remark) for number, remark in table.remarks]
    prefix = f"{key_of('crontab', source)}:"
    keys: set[str] = set()
    with transaction.atomic():
        for entry in table.entries:
            seen[entry.text] += 1
            key = prefix + digest_of(entry.text, str(seen[entry.text]))
            keys.add(key)
            lines.append(_import(entry, key, runner_for(entry.user or owner), actor, enable))
        if Path(source).is_file():  # what is pasted or piped in is not the whole of anything
            lines += _pause_gone(prefix, keys, actor)
        transaction.set_rollback(dry_run)
    return sorted(lines, key=lambda line: line.line_number)


def _pause_gone(prefix: str, keys: set[str], actor: Actor) -> list[ImportedLine]:
    """Pause the schedules of lines that the file no longer has: cron would not run them either."""
    gone = JobSchedule.objects.live().filter(
        import_key__startswith=prefix, schedule_status=ScheduleStatus.ENABLED
    )
    paused = []
    for schedule in gone.exclude(import_key__in=keys).order_by("id"):
        pause_schedule(schedule_id=schedule.id, actor=actor, reason=GONE)
        # The reason lets the line come back with the next import that has it again.
        JobSchedule.objects.filter(id=schedule.id).update(status_reason=GONE)
        schedule.refresh_from_db()
        paused.append(ImportedLine(0, schedule.name, "gone", schedule, GONE))
    return paused


def readable_system_crontabs() -> list[Path]:
    """This machine's own crontabs, as far as this process may read them."""
    found = [SYSTEM_CRONTAB]
    for folder in SYSTEM_FOLDERS:
        try:
            found += sorted(folder.iterdir())
        except OSError:
            continue
    return [path for path in found if _is_crontab(path)]


def _is_crontab(path: Path) -> bool:
    # cron leaves out what editors and packagers put aside (.placeholder, x.dpkg-old, x~).
    if "." in path.name or path.name.endswith("~"):
        return False
    return path.is_file() and os.access(path, os.R_OK)


def _import(entry: Entry, key: str, runner: Runner, actor: Actor, enable: bool) -> ImportedLine:
    if entry.problem:
        return ImportedLine(entry.line_number, entry.text, "skipped", None, entry.problem)
    try:
        with transaction.atomic():
            how = Import(key=key, actor=actor, enable=enable, obstacle=runner.obstacle)
            status, schedule = stored(_values(entry, runner), entry.command, how)
    except ControlPlaneError as error:
        return ImportedLine(entry.line_number, entry.text, "refused", None, error.message)
    paused = schedule.schedule_status == ScheduleStatus.PAUSED
    reason = schedule.status_reason if paused else ""
    return ImportedLine(entry.line_number, entry.text, status, schedule, reason)


def _values(entry: Entry, runner: Runner) -> ScheduleValues:
    return {
        "task": TASK,
        "kwargs": _arguments(entry, runner),
        "cron": cron.canonical(entry.cron),
        "timezone": entry.zone or machine_zone(),
        "description": entry.description,
    }


def _arguments(entry: Entry, runner: Runner) -> dict[str, object]:
    """The arguments of `run_command`: with the shell, folder and variables cron would give."""
    variables = dict(entry.variables)
    shell = variables.pop("SHELL", "/bin/sh")
    folder = variables.get("HOME", runner.home)
    arguments: dict[str, object] = {"shell": entry.command}
    if shell != "/bin/sh":
        arguments = {"argv": [shell, "-c", entry.command]}
    optional = {"cwd": folder, "env": variables, "stdin": entry.stdin, "run_as": runner.run_as}
    return arguments | {name: value for name, value in optional.items() if value}
