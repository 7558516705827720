"""The base of every view of the API: who asks, within which limits."""

from typing import Any, ClassVar, cast

from rest_framework.permissions import SAFE_METHODS, AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.credentials import Credential, Kind
from accounts.errors import LoginNeeded, ReadOnlyToken
from controlplane.actors import Actor
from controlplane.rest.listing import check_parameters
from controlplane.rest.serializers import Input


class ApiView(APIView):
    """A view for those who sent a token. Nothing of it is cached anywhere."""

    #: Query parameters that its GET reads.
    parameters: ClassVar[frozenset[str]] = frozenset()
    #: Whether a personal token is not enough: what could make or keep rights needs a login.
    needs_login: ClassVar[bool] = False

    @property
    def actor(self) -> Actor:
        """The person who sent the token, with the roles that it grants."""
        return self.credential.actor

    @property
    def person_id(self) -> int:
        """Whose token it is; a token is always a person's."""
        return cast(int, self.actor.id)

    @property
    def credential(self) -> Credential:
        """The token that was sent."""
        return cast(Credential, self.request.auth)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.auth is not None:
            if request.method not in SAFE_METHODS and not self.credential.can_write:
                raise ReadOnlyToken
            if self.needs_login and self.credential.kind is not Kind.ACCESS:
                raise LoginNeeded
        check_parameters(request, self.parameters if request.method in SAFE_METHODS else ())

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        done = super().finalize_response(request, response, *args, **kwargs)
        done.headers["Cache-Control"] = "no-store"
        return done

    def given(self, shape: type[Input]) -> dict[str, Any]:
        """The request's body, checked against its shape. Raises ValidationError, naming fields."""
        checked = shape(data=self.request.data)
        checked.is_valid(raise_exception=True)
        values: dict[str, Any] = checked.validated_data
        return values


class OpenView(ApiView):
    """A view for everybody, before they have a token."""

    authentication_classes = ()
    permission_classes = (AllowAny,)
