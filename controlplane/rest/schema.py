"""What the OpenAPI schema says of every operation: how lists page, and how refusals look."""

from functools import cache
from typing import Any, Literal

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers

from controlplane.rest.serializers import Output

FIELDS = OpenApiParameter("fields", str, description="Names of the wanted fields, by commas.")
PAGE = [
    OpenApiParameter("before", int, description="Only rows with lower ids: the next older page."),
    OpenApiParameter("after", int, description="Only rows with higher ids: the next newer page."),
    OpenApiParameter("page_size", int, description="From 1 to 200; 50 unless given."),
    FIELDS,
]


class FieldProblem(Output):
    """One field at fault."""

    field = serializers.CharField()
    detail = serializers.CharField()


class Problem(Output):
    """A refusal, as RFC 9457 wants it. `code` does not change; docs/errors.md lists them all."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()
    field = serializers.CharField(help_text="The input at fault; empty when none is.")
    limit = serializers.IntegerField(required=False, help_text="The limit that was passed.")
    errors = FieldProblem(many=True, required=False)  # type: ignore[assignment]  # our name for it
    request_id = serializers.CharField()


class ProblemSchema(AutoSchema):
    """Adds the refusals that any operation can answer with."""

    def _get_response_bodies(
        self, direction: Literal["request", "response"] = "response"
    ) -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        refusal = OpenApiResponse(Problem, "A refusal; `code` says which.")
        described = self._get_response_for_code(  # type: ignore[no-untyped-call]  # not annotated
            refusal, "default", media_types=["application/problem+json"]
        )
        return {**bodies, "default": described}


@cache
def page_of(item: type[serializers.BaseSerializer[Any]]) -> serializers.Serializer[Any]:
    """The shape of a list's answer."""
    return inline_serializer(
        f"{item.__name__}Page",
        {
            "items": item(many=True),
            "next": serializers.CharField(allow_null=True),
            "previous": serializers.CharField(allow_null=True),
        },
    )


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # registers
    """How requests say who asks."""

    target_class = "accounts.api.bearer.BearerAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "An access token of /auth/login, or a personal token of /tokens.",
        }
