"""Look after lost leases, due jobs and silent workers until stopped."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from jobs.runtime.watchdog import Watchdog


class Command(BaseCommand):
    help = "Settle executions whose lease ran out and promote due jobs. Any number may run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="look once, then exit")

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(Watchdog().run(once=options["once"]))
