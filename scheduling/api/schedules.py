"""Schedules: list, make, look at one, edit, delete."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.permissions import allows
from controlplane.errors import InvalidInput
from controlplane.pagination import page_request
from controlplane.rest.listing import PAGING, chosen, paged
from controlplane.rest.schema import FIELDS, PAGE, page_of
from jobs.models import Job
from jobs.redaction import MASK, shown_arguments
from scheduling import queries
from scheduling.actions import create_schedule, delete_schedule, update_schedule
from scheduling.api import shapes
from scheduling.filters import schedule_filter
from scheduling.lifecycle import ExecutionStatus, ScheduleStatus, verbs_for
from scheduling.models import JobSchedule


class ScheduleList(ApiView):
    parameters = PAGING | {"fields", "status", "execution", "q"}

    @extend_schema(
        operation_id="list_schedules",
        tags=["schedules"],
        parameters=[
            *PAGE,
            OpenApiParameter("status", str, enum=ScheduleStatus.values),
            OpenApiParameter("execution", str, enum=ExecutionStatus.values),
            OpenApiParameter("q", str, description="Part of a name or of a task's path."),
        ],
        responses=page_of(shapes.ScheduleOutput),
    )
    def get(self, request: Request) -> Response:
        """Schedules that you may see, newest first."""
        wanted = schedule_filter(request.query_params)
        asked = page_request(request.query_params)
        page = queries.schedule_page(self.actor, wanted, asked, fill=False)
        items = (
            _shown(shapes.ScheduleOutput, listed.schedule, listed.execution_status, listed.words)
            for listed in page.items
        )
        return paged(request, page, items)

    @extend_schema(
        operation_id="create_schedule",
        tags=["schedules"],
        request=shapes.ScheduleInput,
        responses={201: shapes.ScheduleDetailOutput},
        examples=[
            OpenApiExample(
                "every night",
                {
                    "name": "Clear sessions",
                    "task": "jobs.tasks.management_command.management_command",
                    "kwargs": {"name": "clearsessions"},
                    "cron": "30 3 * * *",
                    "timezone": "Europe/Berlin",
                    "enabled": True,
                },
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        """Make a schedule, which is then yours."""
        schedule = create_schedule(actor=self.actor, **_given(self, shapes.ScheduleInput))
        answer = detail_answer(self, schedule.id, status=201)
        answer.headers["Location"] = f"{request.path}/{schedule.id}"
        return answer


class ScheduleDetail(ApiView):
    parameters = frozenset({"fields"})

    @extend_schema(
        operation_id="get_schedule",
        tags=["schedules"],
        parameters=[FIELDS],
        responses=shapes.ScheduleDetailOutput,
    )
    def get(self, request: Request, schedule_id: int) -> Response:
        """One schedule with its arguments."""
        return detail_answer(self, schedule_id)

    @extend_schema(
        operation_id="update_schedule",
        tags=["schedules"],
        parameters=[
            OpenApiParameter(
                "If-Match",
                str,
                "header",
                description="The ETag of the schedule as you read it; 409 when it has changed.",
            )
        ],
        request=shapes.SchedulePatchInput,
        responses=shapes.ScheduleDetailOutput,
    )
    def patch(self, request: Request, schedule_id: int) -> Response:
        """Edit a schedule. It fires nothing."""
        update_schedule(
            schedule_id=schedule_id,
            actor=self.actor,
            expected_version=_expected_version(request),
            **_given(self, shapes.SchedulePatchInput),
        )
        return detail_answer(self, schedule_id)

    @extend_schema(operation_id="delete_schedule", tags=["schedules"], responses={204: None})
    def delete(self, request: Request, schedule_id: int) -> Response:
        """Take a schedule away. Its jobs and its history stay."""
        delete_schedule(schedule_id=schedule_id, actor=self.actor)
        return Response(status=204)


def detail_answer(view: ApiView, schedule_id: int, *, status: int = 200) -> Response:
    """The schedule as it is now, with the ETag for an edit."""
    schedule = queries.visible_schedule(view.actor, schedule_id)
    running = queries.execution_status(schedule)
    may_act = allows(view.actor, "schedules.act", owner_id=schedule.owner_id)
    verbs = verbs_for(schedule.schedule_status, running)
    stand_in = Job(task=schedule.task, args=schedule.args, kwargs=schedule.kwargs)
    schedule.args, schedule.kwargs = shown_arguments(stand_in)
    actions = [*verbs, "delete"] if may_act and view.credential.can_write else []
    schedule.actions = actions  # type: ignore[attr-defined]  # for the shape
    words = queries.in_words(schedule)
    body = chosen(view.request, _shown(shapes.ScheduleDetailOutput, schedule, running, words))
    return Response(body, status=status, headers={"ETag": f'"{schedule.version}"'})


def _shown(
    shape: type[shapes.ScheduleOutput], schedule: JobSchedule, running: ExecutionStatus, words: str
) -> dict[str, Any]:
    """`times` is a property of the model, so the words are put in afterwards."""
    schedule.execution_status = running  # type: ignore[attr-defined]  # for the shape
    return {**shape(schedule).data, "times": words}


def _given(view: ApiView, shape: type[shapes.SchedulePatchInput]) -> dict[str, Any]:
    """The body; a mask is refused, since it would overwrite what it stands for."""
    values = view.given(shape)
    for name in ("args", "kwargs"):
        if MASK in str(values.get(name, "")):
            message = f"{name} holds {MASK}, which stands for a value that is not shown."
            raise InvalidInput(message, field=name)
    return values


def _expected_version(request: Request) -> int | None:
    tag = request.headers.get("If-Match", "*").strip()
    if tag == "*":
        return None
    digits = tag.removeprefix("W/").strip('"')
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 10):
        raise InvalidInput("If-Match must be an ETag of this schedule, or *.", field="If-Match")
    return int(digits)
