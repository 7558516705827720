"""What became of a schedule's times, and the attempts at its jobs."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from controlplane.pagination import page_request, paginate
from controlplane.rest.listing import PAGING, paged
from controlplane.rest.schema import PAGE, page_of
from jobs.models import JobExecution, Trigger
from scheduling import queries
from scheduling.api import shapes
from scheduling.models import Firing


class FiringList(ApiView):
    parameters = PAGING | {"fields"}

    @extend_schema(
        operation_id="list_firings",
        tags=["schedules"],
        parameters=PAGE,
        responses=page_of(shapes.FiringOutput),
    )
    def get(self, request: Request, schedule_id: int) -> Response:
        """Its times and what became of each, newest first."""
        schedule = queries.visible_schedule(self.actor, schedule_id)
        rows = Firing.objects.filter(schedule_id=schedule.id)
        page = paginate(rows, page_request(request.query_params))
        return paged(request, page, (dict(shapes.FiringOutput(f).data) for f in page.items))


class ScheduleExecutionList(ApiView):
    parameters = PAGING | {"fields"}

    @extend_schema(
        operation_id="list_schedule_executions",
        tags=["schedules"],
        parameters=PAGE,
        responses=page_of(shapes.ScheduleExecutionOutput),
    )
    def get(self, request: Request, schedule_id: int) -> Response:
        """The attempts at its jobs, newest first."""
        schedule = queries.visible_schedule(self.actor, schedule_id)
        rows = JobExecution.objects.filter(
            job__trigger=Trigger.SCHEDULE, job__trigger_id=schedule.id
        ).defer("traceback", "result")
        page = paginate(rows, page_request(request.query_params))
        items = (dict(shapes.ScheduleExecutionOutput(e).data) for e in page.items)
        return paged(request, page, items)
