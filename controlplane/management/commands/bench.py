"""Measure this project on this machine."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from bench import session
from controlplane import local_setup


class Command(BaseCommand):
    help = (
        "Measure drain, pick-up, enqueue and idle cost beside what the bare database reaches, "
        "on a PostgreSQL cluster of its own. Prints a table and writes JSON to var/bench/."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rows", nargs="*", help="which rows; all when none is named")
        parser.add_argument("--quick", action="store_true", help="fewer jobs: a few minutes")
        parser.add_argument("--rounds", type=int, default=3, help="repetitions of each row")

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(
            session.run(
                local_setup.VAR_DIR,
                rows=options["rows"],
                quick=options["quick"],
                rounds=max(1, options["rounds"]),
            )
        )
