"""Jobs: list, enqueue, look at one, count."""

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
from jobs import lifecycle, queries
from jobs.actions.enqueue import enqueue_job
from jobs.api import shapes
from jobs.filters import job_filter
from jobs.lifecycle import Status
from jobs.models import Job, Trigger
from jobs.redaction import shown_arguments

#: Characters of an Idempotency-Key.
MAX_KEY = 255


class JobList(ApiView):
    parameters = PAGING | {"fields", "status", "queue", "task"}

    @extend_schema(
        operation_id="list_jobs",
        tags=["jobs"],
        parameters=[
            *PAGE,
            OpenApiParameter("status", str, enum=Status.values),
            OpenApiParameter("queue", str),
            OpenApiParameter("task", str, description="A dotted path, or a task's short name."),
        ],
        responses=page_of(shapes.JobOutput),
    )
    def get(self, request: Request) -> Response:
        """Jobs that you may see, newest first."""
        wanted = job_filter(request.query_params)
        page = queries.job_page(self.actor, wanted, page_request(request.query_params), fill=False)
        items = (dict(shapes.JobOutput(listed.job).data) for listed in page.items)
        return paged(request, page, items)

    @extend_schema(
        operation_id="create_job",
        tags=["jobs"],
        parameters=[
            OpenApiParameter(
                "Idempotency-Key",
                str,
                "header",
                description="One job per owner and key. The same request again answers 200 with "
                "the job that it made; another request with the key is refused with 409.",
            )
        ],
        request=shapes.JobInput,
        responses={201: shapes.JobDetailOutput, 200: shapes.JobDetailOutput},
        examples=[
            OpenApiExample(
                "run a management command",
                {
                    "task": "jobs.tasks.management_command.management_command",
                    "kwargs": {"name": "clearsessions"},
                    "priority": 10,
                },
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        """Enqueue a job, which is then yours. 200 instead of 201: a job with the key was there."""
        made = enqueue_job(
            **self.given(shapes.JobInput),
            actor=self.actor,
            owner_id=self.actor.id,
            trigger=Trigger.API,
            idempotency_key=_idempotency_key(request),
        )
        job = queries.visible_job(self.actor, made.job_id)
        place = {"Location": f"{request.path}/{job.id}"}
        return Response(detail(job, self), status=201 if made.created else 200, headers=place)


class JobStats(ApiView):
    @extend_schema(operation_id="job_stats", tags=["jobs"], responses=shapes.StatsOutput)
    def get(self, request: Request) -> Response:
        """How many jobs are in each state, of those that you may see; cheap at any size."""
        counts = queries.status_counts(self.actor)
        shown = {str(status): counts.get(status) for status in Status}
        return Response({"counts": shown, "limit": queries.COUNT_LIMIT})


class JobDetail(ApiView):
    parameters = frozenset({"fields"})

    @extend_schema(
        operation_id="get_job",
        tags=["jobs"],
        parameters=[FIELDS],
        responses=shapes.JobDetailOutput,
    )
    def get(self, request: Request, job_id: int) -> Response:
        """One job with its arguments."""
        return Response(chosen(request, detail(queries.visible_job(self.actor, job_id), self)))


def detail(job: Job, view: ApiView) -> dict[str, Any]:
    """A job as an answer to one who may see it."""
    args, kwargs = shown_arguments(job)
    may_act = allows(view.actor, "jobs.act", owner_id=job.owner_id) and view.credential.can_write
    actions = list(lifecycle.verbs_for(job.status)) if may_act else []
    return {**shapes.JobOutput(job).data, "args": args, "kwargs": kwargs, "actions": actions}


def _idempotency_key(request: Request) -> str | None:
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not (1 <= len(key) <= MAX_KEY and key.isascii() and key.isprintable()):
        message = f"Idempotency-Key must have from 1 to {MAX_KEY} printable ASCII characters."
        raise InvalidInput(message, field="Idempotency-Key")
    return key
