"""Run jobs until stopped."""

import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand

from controlplane import conf
from controlplane.events import log_event
from jobs.runtime.executor import Executor


def names(text: str) -> list[str]:
    """A comma-separated list from the command line."""
    return [part for part in (raw.strip() for raw in text.split(",")) if part]


def slots(text: str) -> int:
    """A number of slots. Raises ArgumentTypeError below 1."""
    if not (text.isascii() and text.isdigit() and int(text) >= 1):
        raise ArgumentTypeError(f"must be a whole number, at least 1, not {text!r}")
    return int(text)


class Command(BaseCommand):
    help = "Claim and run jobs. SIGTERM: finish what runs, hand back the rest, exit 0."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--queues", type=names, default=[], help="serve only these, comma-separated"
        )
        parser.add_argument(
            "--exclude", type=names, default=[], help="tasks to leave to other executors"
        )
        parser.add_argument("--threads", type=slots, help="slots for tasks in threads")
        parser.add_argument("--processes", type=slots, help="slots for tasks in child processes")
        parser.add_argument(
            "--once", action="store_true", help="run what is claimable now, then exit"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not conf.options().executor_enabled:
            log_event("executor.disabled")
            sys.exit(2)
        executor = Executor(
            queues=options["queues"],
            exclude=options["exclude"],
            threads=options["threads"],
            processes=options["processes"],
        )
        sys.exit(executor.run(once=options["once"]))
