"""The schema of the API, and Swagger UI for people who are signed in to the pages."""

from typing import Any

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from controlplane.htmx import HtmxHttpRequest, signed_in


class Schema(ApiView):
    @extend_schema(operation_id="schema", tags=["about"], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """This document."""
        return Response(schema())


@require_safe
@signed_in
def schema_file(request: HtmxHttpRequest) -> HttpResponse:
    """The schema for the page below, which has a session and no token."""
    return JsonResponse(schema())


@require_safe
@signed_in
def swagger_page(request: HtmxHttpRequest) -> HttpResponse:
    return render(request, "api/docs.html", {"title": "API"})


def schema() -> dict[str, Any]:
    """The OpenAPI 3 document of every address under /api/v1/, the same for everybody."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]  # it has no annotations
    document: dict[str, Any] = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # as above
    return document
