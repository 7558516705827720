"""`manage.py importcrontab FILE|-`: each line of a crontab becomes a schedule."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from controlplane.actors import SYSTEM
from scheduling.crontab import import_crontab


class Command(BaseCommand):
    help = "Make a schedule of each line of a crontab. A repeated import makes nothing twice."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="the crontab; - reads standard input")
        parser.add_argument("--enable", action="store_true", help="let the clock fire them at once")
        parser.add_argument("--dry-run", action="store_true", help="show, but store nothing")
        kind = parser.add_mutually_exclusive_group()
        kind.add_argument("--system", action="store_true", default=None, help="has a user field")
        kind.add_argument("--user", action="store_false", dest="system", help="has no user field")

    def handle(self, *args: Any, **options: Any) -> None:
        source = options["file"]
        with transaction.atomic():
            lines = import_crontab(
                sys.stdin.read() if source == "-" else _text_of(Path(source)),
                source=source if source == "-" else str(Path(source).resolve()),
                actor=SYSTEM,
                enable=options["enable"],
                system=options["system"],
            )
            if options["dry_run"]:
                transaction.set_rollback(True)
        for line in lines:
            name = line.schedule.name if line.schedule else line.text
            state = line.schedule.schedule_status if line.schedule else ""
            facts = " ".join(part for part in (line.status, state, name) if part)
            self.stdout.write(
                f"{line.line_number}: {facts}{f' ({line.reason})' * bool(line.reason)}"
            )
        if options["dry_run"]:
            self.stdout.write("Nothing was stored (--dry-run).")


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from error
