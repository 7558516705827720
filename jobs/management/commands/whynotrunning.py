"""Say why a job is not running."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from jobs.blockers import blockers_of
from jobs.models import Job


class Command(BaseCommand):
    help = "Say why a job is not running: everything in its way, in the order that matters."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("job_id", type=int)

    def handle(self, *args: Any, **options: Any) -> None:
        job = Job.objects.filter(id=options["job_id"]).first()
        if job is None:
            raise CommandError(f"There is no job {options['job_id']}.")
        self.stdout.write(f"Job {job.id} ({job.task}) is {job.status}.")
        for blocker in blockers_of(job):
            until = f" Until {blocker.until:%Y-%m-%d %H:%M:%S} UTC." if blocker.until else ""
            self.stdout.write(f"- {blocker.sentence}{until}")
