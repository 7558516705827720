"""Named filters over schedules. They read; actions and the scheduler write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.db.models.functions import Now

from jobs.lifecycle import Status
from jobs.models import JobExecution, Trigger
from scheduling.lifecycle import ScheduleStatus

if TYPE_CHECKING:
    from scheduling.models import JobSchedule


class JobScheduleQuerySet(QuerySet["JobSchedule"]):
    def live(self) -> JobScheduleQuerySet:
        """Not deleted."""
        return self.filter(deleted_at__isnull=True)

    def enabled(self) -> JobScheduleQuerySet:
        return self.filter(schedule_status=ScheduleStatus.ENABLED)

    def due(self) -> JobScheduleQuerySet:
        """Whose time has come, longest waiting first."""
        return self.enabled().filter(next_run_at__lte=Now()).order_by("next_run_at", "id")

    def owned_by(self, owner_id: int | None) -> JobScheduleQuerySet:
        return self.filter(owner_id=owner_id)

    def with_running(self) -> JobScheduleQuerySet:
        """Each with `running`: whether one of its jobs runs now.

        Looks through the RUNNING executions, which are few, never through a schedule's history.
        """
        ids = (
            JobExecution.objects.running()
            .filter(job__trigger=Trigger.SCHEDULE, job__status=Status.RUNNING)
            .values("job__trigger_id")
        )
        return self.annotate(running=ExpressionWrapper(Q(id__in=ids), output_field=BooleanField()))
