"""Named filters over schedules. They read; actions and the scheduler write."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import QuerySet
from django.db.models.functions import Now

from jobs.lifecycle import Status
from jobs.models import JobExecution, Trigger
from scheduling.lifecycle import ScheduleStatus

if TYPE_CHECKING:
    from scheduling.models import JobSchedule  # noqa: F401 - the parameter of the class below


class JobScheduleQuerySet(QuerySet["JobSchedule"]):
    def live(self) -> JobScheduleQuerySet:
        """Not deleted."""
        return self.filter(deleted_at__isnull=True)

    def enabled(self) -> JobScheduleQuerySet:
        return self.filter(schedule_status=ScheduleStatus.ENABLED)

    def due(self, now: datetime | None = None) -> JobScheduleQuerySet:
        """Whose time has come by the database's clock, or by `now`; longest waiting first."""
        return self.enabled().filter(next_run_at__lte=now or Now()).order_by("next_run_at", "id")

    def owned_by(self, owner_id: int | None) -> JobScheduleQuerySet:
        return self.filter(owner_id=owner_id)

    def running_now(self) -> JobScheduleQuerySet:
        """Those with a job that runs now: execution status RUNNING. It is stored nowhere.

        Looks through the RUNNING executions, which are few, never through a schedule's history.
        """
        return self.filter(
            id__in=JobExecution.objects.running()
            .filter(job__trigger=Trigger.SCHEDULE, job__status=Status.RUNNING)
            .values("job__trigger_id")
        )
