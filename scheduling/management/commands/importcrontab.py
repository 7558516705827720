"""`manage.py importcrontab FILE|-`: each line of a crontab becomes a schedule."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from controlplane.actors import SYSTEM
from controlplane.errors import ControlPlaneError
from scheduling.crontab import ImportedLine, import_crontab
from scheduling.source_text import text_of
from scheduling.text_table import text_table


class Command(BaseCommand):
    help = (
        "Show what each line of a crontab becomes; with --apply, make it so. A repeated import "
        "makes nothing twice."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="the crontab; - reads standard input")
        parser.add_argument("--apply", action="store_true", help="store it; otherwise only show")
        parser.add_argument("--enable", action="store_true", help="let the clock fire them at once")
        kind = parser.add_mutually_exclusive_group()
        kind.add_argument("--system", action="store_true", default=None, help="has a user field")
        kind.add_argument("--user", action="store_false", dest="system", help="has no user field")

    def handle(self, *args: Any, **options: Any) -> None:
        source = options["file"]
        try:
            text = text_of(source)
        except ControlPlaneError as error:
            raise CommandError(error.message) from error
        lines = import_crontab(
            text,
            source=source if source == "-" else str(Path(source).resolve()),
            actor=SYSTEM,
            enable=options["enable"],
            system=options["system"],
            dry_run=not options["apply"],
        )
        headings = ("Line", "Becomes", "Status", "Name or text", "Times", "Next run", "Remarks")
        self.stdout.write(text_table(headings, map(_row, lines)))
        if not options["apply"]:
            self.stdout.write("\nNothing is stored. Add --apply to store it.")


def _row(line: ImportedLine) -> tuple[object, ...]:
    made = line.schedule
    if made is None:
        return line.line_number, line.status, "", line.text, "", "", line.reason
    times = f"{made.cron} ({made.timezone})"
    following = "" if made.next_run_at is None else f"{made.next_run_at:%Y-%m-%d %H:%M:%SZ}"
    status = made.schedule_status
    return line.line_number, line.status, status, made.name, times, following, line.reason
