"""`manage.py exportschedules`: schedules as a file that `syncschedules` takes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from scheduling.export import exported
from scheduling.models import JobSchedule
from scheduling.schedule_file import FORMATS, written


class Command(BaseCommand):
    help = "Write all schedules as YAML or JSON to standard output."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--format", choices=FORMATS, default="yaml")
        parser.add_argument("--source", default="file", help="the name that the file gives itself")
        parser.add_argument(
            "--secrets", action="store_true", help="write sensitive arguments in the clear"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        rows = JobSchedule.objects.live().order_by("name", "id")
        entries = exported(rows, secrets=options["secrets"])
        self.stdout.write(written(entries, options["source"], options["format"]), ending="")
