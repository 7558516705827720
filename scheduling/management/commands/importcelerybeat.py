"""`manage.py importcelerybeat DUMP|-` or `--database ALIAS`: periodic tasks become schedules."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from controlplane.actors import SYSTEM
from controlplane.errors import ControlPlaneError
from scheduling.celerybeat import ImportedTask, import_celerybeat
from scheduling.celerybeat_sources import read_dump, read_tables
from scheduling.queries import in_words
from scheduling.source_text import text_of
from scheduling.text_table import text_table


class Command(BaseCommand):
    help = "Show what each periodic task of django-celery-beat becomes; with --apply, make it so."

    def add_arguments(self, parser: ArgumentParser) -> None:
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("file", nargs="?", help="from dumpdata; - reads standard input")
        source.add_argument("--database", help="alias of the database that has beat's tables")
        parser.add_argument("--apply", action="store_true", help="store it; otherwise only show")
        parser.add_argument("--enable", action="store_true", help="start those enabled in beat")
        parser.add_argument(
            "--map", action="append", default=[], metavar="OLD=NEW", help="a task's new dotted path"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        database = options["database"]
        try:
            entries = read_tables(database) if database else read_dump(text_of(options["file"]))
        except ControlPlaneError as error:
            raise CommandError(error.message) from error
        found = import_celerybeat(
            entries,
            actor=SYSTEM,
            enable=options["enable"],
            task_names=dict(pair.partition("=")[::2] for pair in options["map"]),
            dry_run=not options["apply"],
        )
        headings = ("Periodic task", "Becomes", "Status", "Task", "Times", "Remarks")
        self.stdout.write(text_table(headings, map(_row, found)))
        if not options["apply"]:
            self.stdout.write("\nNothing is stored. Add --apply to store it.")


def _row(line: ImportedTask) -> tuple[object, ...]:
    made = line.schedule
    status = made.schedule_status if made else ""
    times = in_words(made) if made else ""
    return line.entry.name, line.status, status, line.entry.task, times, line.reason
