"""The API's first page, and the answer to addresses that it does not have."""

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView, OpenView
from controlplane.rest.errors import UnknownRoute
from controlplane.rest.serializers import Output


class IndexOutput(Output):
    schema = serializers.CharField()
    docs = serializers.CharField()


class Index(ApiView):
    @extend_schema(operation_id="index", tags=["about"], responses=IndexOutput)
    def get(self, request: Request) -> Response:
        """Where the documents of the API are."""
        return Response({"schema": f"{request.path}schema", "docs": reverse("api-docs")})


class Unknown(OpenView):
    @extend_schema(exclude=True)
    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse whatever the method. Raises UnknownRoute."""
        raise UnknownRoute
