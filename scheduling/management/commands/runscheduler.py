"""`manage.py runscheduler`: turns due schedules into jobs, until told to stop."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from scheduling.runtime import SchedulerLoop


class Command(BaseCommand):
    help = "Turn due schedules into jobs. Any number of schedulers may run at the same time."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="deal with what is due and end")

    def handle(self, *args: Any, **options: Any) -> None:
        code = SchedulerLoop().run(once=options["once"])
        if code:
            sys.exit(code)
