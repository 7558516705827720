"""The attempts at a job, and what they logged."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from controlplane.errors import InvalidInput
from controlplane.pagination import page_request, paginate
from controlplane.rest.listing import PAGING, chosen, paged
from controlplane.rest.schema import FIELDS, PAGE, page_of
from jobs import queries
from jobs.api import shapes
from jobs.log_tail import log_after
from jobs.models import JobExecution
from jobs.redaction import redacted, sensitive_names

#: The largest number that a column of executions or chunks can hold.
MAX_NUMBER = 2**31 - 1


class ExecutionList(ApiView):
    parameters = PAGING | {"fields"}

    @extend_schema(
        operation_id="list_executions",
        tags=["jobs"],
        parameters=PAGE,
        responses=page_of(shapes.ExecutionOutput),
    )
    def get(self, request: Request, job_id: int) -> Response:
        """The attempts at a job, newest first."""
        job = queries.visible_job(self.actor, job_id)
        rows = JobExecution.objects.filter(job_id=job.id).defer("traceback", "result")
        page = paginate(rows, page_request(request.query_params))
        items = (dict(shapes.ExecutionOutput(execution).data) for execution in page.items)
        return paged(request, page, items)


class ExecutionDetail(ApiView):
    parameters = frozenset({"fields"})

    @extend_schema(
        operation_id="get_execution",
        tags=["jobs"],
        parameters=[FIELDS],
        responses=shapes.ExecutionDetailOutput,
    )
    def get(self, request: Request, job_id: int, number: int) -> Response:
        """One attempt with its traceback and result."""
        job = queries.visible_job(self.actor, job_id)
        execution = queries.execution_of(job, min(number, MAX_NUMBER))
        body: dict[str, Any] = dict(shapes.ExecutionDetailOutput(execution).data)
        body["result"] = redacted(body["result"], sensitive_names(job.task))
        return Response(chosen(request, body))


class JobLog(ApiView):
    """`next` is there also when nothing more has been written yet, to ask again."""

    parameters = frozenset({"execution", "after"})

    @extend_schema(
        operation_id="get_job_log",
        tags=["jobs"],
        parameters=[
            OpenApiParameter(
                "execution", int, description="Its number; the last one unless given."
            ),
            OpenApiParameter("after", int, description="Only pieces after this sequence number."),
        ],
        responses=shapes.LogOutput,
    )
    def get(self, request: Request, job_id: int) -> Response:
        """What an attempt logged and printed, oldest first; `next` goes on from there."""
        job = queries.visible_job(self.actor, job_id)
        execution = queries.execution_of(job, _number(request, "execution"))
        if execution is None:
            return Response({"execution": None, "items": [], "next": None})
        after = _number(request, "after")
        chunks = log_after(execution.id, -1 if after is None else after)
        last = chunks[-1].sequence if chunks else after
        following = f"{request.path}?execution={execution.number}"
        body = {
            "execution": execution.number,
            "items": shapes.LogChunkOutput(chunks, many=True).data,
            "next": following if last is None else f"{following}&after={last}",
        }
        return Response(body)


def _number(request: Request, name: str) -> int | None:
    raw = request.query_params.get(name, "")
    if not raw:
        return None
    if not (raw.isascii() and raw.isdigit() and len(raw) <= 10 and int(raw) <= MAX_NUMBER):
        raise InvalidInput(f"{name} must be a whole number from 0 to {MAX_NUMBER}.", field=name)
    return int(raw)
