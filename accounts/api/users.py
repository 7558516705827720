"""Accounts, for administrators."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import queries, roles
from accounts.actions.people import create_user, set_role, set_status
from accounts.api import shapes
from accounts.api.base import ApiView
from accounts.models import User
from accounts.permissions import require
from controlplane.errors import NotFound
from controlplane.pagination import page_request, paginate
from controlplane.rest.listing import PAGING, chosen, paged
from controlplane.rest.schema import FIELDS, PAGE, page_of


class UserList(ApiView):
    parameters = PAGING | {"fields"}

    @extend_schema(
        operation_id="list_users",
        tags=["users"],
        parameters=PAGE,
        responses=page_of(shapes.UserOutput),
    )
    def get(self, request: Request) -> Response:
        """All accounts, the latest first."""
        require(self.actor, "users.manage")
        page = paginate(queries.people(), page_request(request.query_params))
        return paged(request, page, map(_shown, page.items))

    @extend_schema(
        operation_id="create_user",
        tags=["users"],
        request=shapes.NewUserInput,
        responses={201: shapes.UserOutput},
    )
    def post(self, request: Request) -> Response:
        """Make an account."""
        require(self.actor, "users.manage")
        person = create_user(**self.given(shapes.NewUserInput), actor=self.actor)
        place = {"Location": f"{request.path}/{person.pk}"}
        return Response(_shown(queries.person(person.pk)), status=201, headers=place)


class UserDetail(ApiView):
    parameters = frozenset({"fields"})

    @extend_schema(
        operation_id="get_user", tags=["users"], parameters=[FIELDS], responses=shapes.UserOutput
    )
    def get(self, request: Request, user_id: int) -> Response:
        """One account."""
        require(self.actor, "users.manage")
        return Response(chosen(request, _shown(queries.person(user_id))))

    @extend_schema(
        operation_id="update_user",
        tags=["users"],
        request=shapes.UserPatchInput,
        responses=shapes.UserOutput,
    )
    def patch(self, request: Request, user_id: int) -> Response:
        """Give a person another role or status, both or neither. Never one's own."""
        require(self.actor, "users.manage")
        given = self.given(shapes.UserPatchInput)
        with transaction.atomic():
            if role := given.get("role"):
                set_role(user_id=user_id, role=role, actor=self.actor)
            if status := given.get("status"):
                reason = given["reason"]
                set_status(user_id=user_id, status=status, actor=self.actor, reason=reason)
        return Response(_shown(queries.person(user_id)))


def _shown(person: User | None) -> dict[str, Any]:
    if person is None:
        raise NotFound("There is no such account.")
    held = {group.name for group in person.groups.all()}
    person.role = roles.highest(held)  # type: ignore[attr-defined]  # for the shape
    return dict(shapes.UserOutput(person).data)
