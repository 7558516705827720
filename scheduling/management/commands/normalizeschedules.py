"""`manage.py normalizeschedules`: flags schedules whose task, cron or zone is no longer valid."""

from typing import Any

from django.core.management.base import BaseCommand

from scheduling.normalise import normalise


class Command(BaseCommand):
    help = "Check every schedule; flag those whose task, cron or zone is no longer valid."

    def handle(self, *args: Any, **options: Any) -> None:
        done = normalise()
        self.stdout.write(
            f"{done.seen} checked, {len(done.changed)} flagged, {len(done.failed)} failed."
        )
        for schedule_id in done.failed:
            self.stderr.write(f"schedule {schedule_id} could not be checked; it is paused.")
