"""One's own sessions with the API, and one's own personal tokens."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import queries
from accounts.actions.api_sessions import revoke_session
from accounts.actions.personal_tokens import create_token, revoke_token
from accounts.api import shapes
from accounts.api.base import ApiView
from accounts.credentials import Kind


class SessionList(ApiView):
    @extend_schema(operation_id="list_sessions", tags=["auth"], responses=shapes.SessionsOutput)
    def get(self, request: Request) -> Response:
        """One's own sessions that can still be refreshed, the latest first."""
        current = self.credential.id if self.credential.kind is Kind.ACCESS else None
        sessions = queries.live_api_sessions(self.person_id)
        for session in sessions:
            session.is_current = session.id == current  # type: ignore[attr-defined]  # for the shape
        return Response({"items": shapes.SessionOutput(sessions, many=True).data})


class SessionDetail(ApiView):
    needs_login = True

    @extend_schema(operation_id="revoke_session", tags=["auth"], responses={204: None})
    def delete(self, request: Request, session_id: int) -> Response:
        """End one of one's own sessions at once."""
        revoke_session(session_id=session_id, actor=self.actor)
        return Response(status=204)


class TokenList(ApiView):
    needs_login = True

    @extend_schema(
        operation_id="list_tokens", tags=["tokens"], responses=shapes.PersonalTokensOutput
    )
    def get(self, request: Request) -> Response:
        """One's own personal tokens, the latest first; never the tokens themselves."""
        tokens = queries.personal_tokens(self.person_id)
        return Response({"items": shapes.PersonalTokenOutput(tokens, many=True).data})

    @extend_schema(
        operation_id="create_token",
        tags=["tokens"],
        request=shapes.PersonalTokenInput,
        responses={201: shapes.NewPersonalTokenOutput},
    )
    def post(self, request: Request) -> Response:
        """Make a personal token. The answer shows it this once."""
        token, text = create_token(**self.given(shapes.PersonalTokenInput), actor=self.actor)
        token.token = text  # type: ignore[attr-defined]  # for the shape
        return Response(shapes.NewPersonalTokenOutput(token).data, status=201)


class TokenDetail(ApiView):
    needs_login = True

    @extend_schema(operation_id="revoke_token", tags=["tokens"], responses={204: None})
    def delete(self, request: Request, token_id: int) -> Response:
        """End one of one's own personal tokens at once."""
        revoke_token(token_id=token_id, actor=self.actor)
        return Response(status=204)
