"""The audit trail, for those who may read everything."""

from collections.abc import Iterator
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.permissions import require
from audit import queries
from audit.filters import TARGET_TYPES, AuditFilter
from audit.models import AuditEvent
from audit.queries import Criteria
from audit.vocabulary import EventType
from controlplane.errors import InvalidInput
from controlplane.pagination import Page, page_request, paginate
from controlplane.rest.listing import PAGING, paged
from controlplane.rest.schema import PAGE, page_of
from controlplane.rest.serializers import Output


class EventOutput(Output):
    id = serializers.IntegerField()
    occurred_at = serializers.DateTimeField()
    event_type = serializers.ChoiceField([str(event) for event in EventType])
    actor_id = serializers.IntegerField(allow_null=True, help_text="Null is the system itself.")
    actor = serializers.CharField(source="actor_name")
    target_type = serializers.CharField()
    target_id = serializers.IntegerField(allow_null=True)
    target_label = serializers.CharField()
    metadata = serializers.DictField()
    request_id = serializers.CharField()


class EventList(ApiView):
    parameters = PAGING | {"fields", *AuditFilter.base_fields}

    @extend_schema(
        operation_id="list_audit_events",
        tags=["audit"],
        parameters=[
            *PAGE,
            OpenApiParameter("event_type", str, enum=[str(event) for event in EventType]),
            OpenApiParameter("actor", str, description="An e-mail address, an id, or system."),
            OpenApiParameter("target_type", str, enum=TARGET_TYPES),
            OpenApiParameter("target_id", int),
            OpenApiParameter("since", str, description="From this time on (ISO 8601)."),
            OpenApiParameter("until", str, description="Before this time (ISO 8601)."),
        ],
        responses=page_of(EventOutput),
    )
    def get(self, request: Request) -> Response:
        """Who did what, newest first."""
        require(self.actor, "audit.read")
        wanted = AuditFilter(request.query_params)
        if not wanted.is_valid():
            field, messages = next(iter(wanted.errors.items()))
            raise InvalidInput(f"{field}: {messages[0]}", field=field)
        return _answer(request, wanted.criteria())


class TargetEventList(ApiView):
    parameters = PAGING | {"fields"}

    @extend_schema(
        operation_id="list_audit_events_of_target",
        tags=["audit"],
        parameters=[
            *PAGE,
            OpenApiParameter("target_type", str, "path", enum=TARGET_TYPES),
        ],
        responses=page_of(EventOutput),
    )
    def get(self, request: Request, target_type: str, target_id: int) -> Response:
        """What happened to one thing, newest first."""
        require(self.actor, "audit.read")
        if target_type not in TARGET_TYPES:
            known = ", ".join(TARGET_TYPES)
            raise InvalidInput(f"target_type must be one of {known}.", field="target_type")
        return _answer(request, Criteria(target_type=target_type, target_id=target_id))


def _answer(request: Request, criteria: Criteria) -> Response:
    page = paginate(queries.history(criteria), page_request(request.query_params))
    return paged(request, page, _shown(page))


def _shown(page: Page[AuditEvent]) -> Iterator[dict[str, Any]]:
    return (dict(EventOutput(event).data) for event in page.items)
