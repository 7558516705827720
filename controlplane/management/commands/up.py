"""Run everything on this machine: database, pages, executor, scheduler, watchdog."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from controlplane.errors import ControlPlaneError
from controlplane.up.errors import UpError
from controlplane.up.session import Options, run


class Command(BaseCommand):
    help = (
        "Start a whole installation on this machine and keep it running: the database (an "
        "embedded PostgreSQL unless DATABASE_URL is set), the pages, and the three loops. "
        "The first start makes tables, an administrator and schedules that do real work."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--crontab",
            type=Path,
            metavar="FILE",
            help="import the lines of this crontab as enabled schedules "
            "(without it the machine's own crontabs are imported, paused)",
        )
        parser.add_argument(
            "--once",
            action="store_true",
            help="run every enabled schedule once to its end, print what became of each, "
            "and exit: 0, or 1 if anything failed",
        )
        parser.add_argument("--host", default="127.0.0.1", help="where to listen (%(default)s)")
        parser.add_argument("--port", type=int, help="where to listen (8000, or the next free)")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = Options(options["crontab"], options["once"], options["host"], options["port"])
        try:
            status = run(chosen)
        except (UpError, ControlPlaneError) as error:
            raise CommandError(str(error)) from error
        if status:
            raise SystemExit(status)
