"""The runs of one schedule: every attempt at one of its jobs, with the time it stood for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import FETCH_RAISE, QuerySet

from controlplane.keyset import Cursor, Order, SortedPage, sorted_page
from jobs.models import JobExecution, Trigger
from scheduling.models import Firing, JobSchedule
from scheduling.run_filters import RunFilter, narrowed


@dataclass(frozen=True, slots=True)
class Run:
    """An attempt and the firing that its job came from; none for one that was made otherwise."""

    execution: JobExecution
    firing: Firing | None

    @property
    def lateness(self) -> timedelta | None:
        """From the time it stood for until it began: for a first attempt at a time of the clock."""
        firing, started = self.firing, self.execution.started_at
        by_clock = firing is not None and firing.kind == Firing.Kind.DUE
        if firing is None or not by_clock or started is None or self.execution.number != 1:
            return None
        return max(started - firing.nominal_time, timedelta(0))


def runs_of(schedule: JobSchedule) -> QuerySet[JobExecution]:
    """Every attempt at a job that this schedule made, without the wide columns."""
    return JobExecution.objects.filter(
        job__trigger=Trigger.SCHEDULE, job__trigger_id=schedule.id
    ).defer("result", "traceback")


def run_page(
    schedule: JobSchedule, wanted: RunFilter, order: Order, cursor: Cursor | None, size: int
) -> SortedPage[JobExecution]:
    """One page of the runs in the order asked for."""
    rows = narrowed(runs_of(schedule), wanted).fetch_mode(FETCH_RAISE)
    return sorted_page(rows, order, cursor, size)


def with_firings(executions: Sequence[JobExecution]) -> list[Run]:
    """The executions with the times they stood for, in one query."""
    firings = Firing.objects.filter(job_id__in={execution.job_id for execution in executions})
    by_job = {firing.job_id: firing for firing in firings}
    return [Run(execution, by_job.get(execution.job_id)) for execution in executions]
