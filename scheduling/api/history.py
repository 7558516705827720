"""What became of a schedule's times, and the attempts at its jobs."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from controlplane.pagination import page_request, paginate
from controlplane.rest.listing import PAGING, paged
from controlplane.rest.schema import PAGE, page_of
from jobs.lifecycle import Outcome
from scheduling import queries
from scheduling.api import shapes
from scheduling.models import Firing
from scheduling.run_filters import narrowed, run_filter
from scheduling.run_history import runs_of


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


#: What a history is narrowed by, as on its page: each bound counts by itself, all in UTC.
BOUNDS = [
    OpenApiParameter("start_date", str, description="Started on or after this day: 2026-11-30."),
    OpenApiParameter("start_time", str, description="Started from this time of day on: 17:30."),
    OpenApiParameter("end_date", str, description="Ended on or before: 2026-11-30."),
    OpenApiParameter("end_time", str, description="Ended until this time of day: 17:30."),
    OpenApiParameter("outcome", str, enum=Outcome.values),
]


class ScheduleExecutionList(ApiView):
    parameters = PAGING | {"fields", *(bound.name for bound in BOUNDS)}

    @extend_schema(
        operation_id="list_schedule_executions",
        tags=["schedules"],
        parameters=[*PAGE, *BOUNDS],
        responses=page_of(shapes.ScheduleExecutionOutput),
    )
    def get(self, request: Request, schedule_id: int) -> Response:
        """The attempts at its jobs, newest first."""
        schedule = queries.visible_schedule(self.actor, schedule_id)
        rows = narrowed(runs_of(schedule), run_filter(request.query_params))
        page = paginate(rows, page_request(request.query_params))
        items = (dict(shapes.ScheduleExecutionOutput(e).data) for e in page.items)
        return paged(request, page, items)
