"""Tasks that can be run, queues, and the processes that serve them."""

import inspect
from typing import Any

from django.tasks import Task
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from controlplane.errors import InvalidInput
from controlplane.pagination import page_request, paginate
from controlplane.rest.listing import PAGING, paged
from controlplane.rest.schema import PAGE, page_of
from controlplane.rest.serializers import Input, Output
from jobs import queue_queries, registry
from jobs.actions.queues import pause_queue, resume_queue
from jobs.models import Worker
from jobs.queries import COUNT_LIMIT


class ParameterOutput(Output):
    name = serializers.CharField()
    is_required = serializers.BooleanField()
    annotation = serializers.CharField(help_text="Its type as written; empty without one.")


class TaskOutput(Output):
    task = serializers.CharField(help_text="Dotted path.")
    name = serializers.CharField()
    description = serializers.CharField(help_text="The first line of its documentation.")
    queue = serializers.CharField()
    priority = serializers.IntegerField()
    parameters = ParameterOutput(many=True)


class TasksOutput(Output):
    items = TaskOutput(many=True)


class QueueOutput(Output):
    name = serializers.CharField()
    pending = serializers.IntegerField(help_text=f"Counting stops at {COUNT_LIMIT + 1}.")
    is_paused = serializers.BooleanField()
    paused_at = serializers.DateTimeField(allow_null=True)
    paused_by = serializers.CharField()
    pause_reason = serializers.CharField()
    paused_until = serializers.DateTimeField(allow_null=True)


class QueuesOutput(Output):
    items = QueueOutput(many=True)


class PauseInput(Input):
    reason = serializers.CharField(max_length=255)
    until = serializers.DateTimeField(required=False, help_text="The pause ends by itself then.")


class WorkerOutput(Output):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(Worker.Kind.choices)
    host = serializers.CharField()
    pid = serializers.IntegerField()
    version = serializers.CharField()
    queues = serializers.ListField(child=serializers.CharField(), help_text="Empty: all.")
    slots = serializers.IntegerField()
    started_at = serializers.DateTimeField()
    reported_at = serializers.DateTimeField()
    stopped_at = serializers.DateTimeField(allow_null=True)


class TaskList(ApiView):
    @extend_schema(operation_id="list_tasks", tags=["tasks"], responses=TasksOutput)
    def get(self, request: Request) -> Response:
        """Every task of the installed apps, by path."""
        return Response({"items": [_task(t) for t in registry.known_tasks().values()]})


class QueueList(ApiView):
    @extend_schema(operation_id="list_queues", tags=["queues"], responses=QueuesOutput)
    def get(self, request: Request) -> Response:
        """Every queue, by name."""
        queues = queue_queries.queues(self.actor)
        return Response({"items": QueueOutput(queues, many=True).data})


class QueuePause(ApiView):
    @extend_schema(
        operation_id="pause_queue", tags=["queues"], request=PauseInput, responses={204: None}
    )
    def post(self, request: Request, name: str) -> Response:
        """Claim no more jobs from a queue; running ones go on."""
        given = self.given(PauseInput)
        until = given.get("until")
        if until is not None and until <= timezone.now():
            raise InvalidInput("until must be in the future.", field="until")
        pause_queue(name=name, actor=self.actor, reason=given["reason"], until=until)
        return Response(status=204)


class QueueResume(ApiView):
    @extend_schema(
        operation_id="resume_queue", tags=["queues"], request=None, responses={204: None}
    )
    def post(self, request: Request, name: str) -> Response:
        """Claim jobs from a queue again."""
        resume_queue(name=name, actor=self.actor)
        return Response(status=204)


class WorkerList(ApiView):
    parameters = PAGING | {"fields", "live"}

    @extend_schema(
        operation_id="list_workers",
        tags=["workers"],
        parameters=[
            *PAGE,
            OpenApiParameter("live", bool, description="Only those that have reported lately."),
        ],
        responses=page_of(WorkerOutput),
    )
    def get(self, request: Request) -> Response:
        """Executors, schedulers and watchdogs, the latest first."""
        live = request.query_params.get("live", "false")
        if live not in ("true", "false"):
            raise InvalidInput("live must be true or false.", field="live")
        rows = queue_queries.workers(self.actor, live_only=live == "true")
        page = paginate(rows, page_request(request.query_params))
        return paged(request, page, (dict(WorkerOutput(worker).data) for worker in page.items))


def _task(task: Task) -> dict[str, Any]:
    parameters = list(inspect.signature(task.func).parameters.values())
    return {
        "task": task.module_path,
        "name": task.name,
        "description": (inspect.getdoc(task.func) or "").partition("\n")[0],
        "queue": task.queue_name,
        "priority": task.priority,
        "parameters": [_parameter(p) for p in parameters[1 if task.takes_context else 0 :]],
    }


def _parameter(parameter: inspect.Parameter) -> dict[str, Any]:
    open_ended = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = parameter.default is parameter.empty and parameter.kind not in open_ended
    written = "" if parameter.annotation is parameter.empty else parameter.annotation
    annotation = written if isinstance(written, str) else inspect.formatannotation(written)
    return {"name": parameter.name, "is_required": needed, "annotation": annotation}
