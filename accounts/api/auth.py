"""Log in, refresh, log out, who am I, and one's own password."""

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access_tokens import LIFETIME
from accounts.actions import api_sessions
from accounts.actions.api_sessions import Tokens
from accounts.actions.people import change_password
from accounts.api import shapes
from accounts.api.base import ApiView, OpenView
from accounts.authentication import origin_of


class Login(OpenView):
    @extend_schema(
        operation_id="login",
        tags=["auth"],
        request=shapes.LoginInput,
        responses=shapes.TokensOutput,
        examples=[
            OpenApiExample(
                "login",
                {"email": "ada@example.com", "password": "correct horse battery staple"},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        """Exchange an e-mail address and a password for tokens."""
        given = self.given(shapes.LoginInput)
        tokens = api_sessions.log_in(**given, origin=origin_of(request))
        return Response(_shown(tokens))


class Refresh(OpenView):
    @extend_schema(
        operation_id="refresh",
        tags=["auth"],
        request=shapes.RefreshInput,
        responses=shapes.TokensOutput,
    )
    def post(self, request: Request) -> Response:
        """Exchange an unused refresh token for new tokens. Its second use ends the session."""
        token = self.given(shapes.RefreshInput)["refresh_token"]
        tokens = api_sessions.refresh(token=token, origin=origin_of(request))
        return Response(_shown(tokens))


class Logout(OpenView):
    @extend_schema(
        operation_id="logout",
        tags=["auth"],
        request=shapes.RefreshInput,
        responses={204: None},
    )
    def post(self, request: Request) -> Response:
        """End the session of a refresh token, and its access tokens with it."""
        token = self.given(shapes.RefreshInput)["refresh_token"]
        api_sessions.log_out(token=token, origin=origin_of(request))
        return Response(status=204)


class Me(ApiView):
    @extend_schema(operation_id="me", tags=["auth"], responses=shapes.MeOutput)
    def get(self, request: Request) -> Response:
        """Whom the token stands for, and what it grants."""
        body = {
            "id": self.actor.id,
            "email": self.actor.label,
            "roles": sorted(self.actor.roles),
            "token_kind": str(self.credential.kind),
            "can_write": self.credential.can_write,
        }
        return Response(body)


class Password(ApiView):
    needs_login = True

    @extend_schema(
        operation_id="change_password",
        tags=["auth"],
        request=shapes.PasswordInput,
        responses={204: None},
    )
    def post(self, request: Request) -> Response:
        """Change one's own password. All of one's sessions end, this one too."""
        given = self.given(shapes.PasswordInput)
        change_password(user_id=self.person_id, actor=self.actor, **given)
        return Response(status=204)


def _shown(tokens: Tokens) -> dict[str, object]:
    return {
        "access_token": tokens.access,
        "refresh_token": tokens.refresh,
        "token_type": "Bearer",
        "expires_in": int(LIFETIME.total_seconds()),
        "refresh_expires_at": tokens.refresh_expires_at.isoformat(),
    }
