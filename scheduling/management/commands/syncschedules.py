"""`manage.py syncschedules FILE`: bring schedules in line with a file; `--check` only compares."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from controlplane.actors import SYSTEM
from controlplane.errors import ControlPlaneError
from scheduling.schedule_file import read_file
from scheduling.source_text import text_of
from scheduling.sync import Difference, sync_schedules

_SIGNS = {"create": "+", "update": "~", "disable": "-"}
#: The file cannot be carried out. 1 is: there are differences (`--check`).
INVALID = 2


class Command(BaseCommand):
    help = "Create, update and disable schedules so that they are as the file says."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="YAML or JSON; - reads standard input")
        parser.add_argument(
            "--check", action="store_true", help="store nothing; end with 1 if anything differs"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            file = read_file(text_of(options["file"]))
            synced = sync_schedules(file, actor=SYSTEM, dry_run=options["check"])
        except ControlPlaneError as error:
            raise CommandError(error.message, returncode=INVALID) from error
        if synced.errors:
            told = "\n".join(("Nothing is stored:", *synced.errors))
            raise CommandError(told, returncode=INVALID)
        for difference in synced.differences:
            self._tell(difference)
        if not synced.differences:
            self.stdout.write("Everything is as the file says.")
        elif options["check"]:
            self.stdout.write("Nothing is stored (--check).")
            sys.exit(1)

    def _tell(self, difference: Difference) -> None:
        self.stdout.write(f"{_SIGNS[difference.verb]} {difference.verb} {difference.name}")
        for change in difference.changes:
            self.stdout.write(f"    {change}")
