"""A script's view of the API: JSON in, JSON out, a bearer token in the header."""

import json
from typing import Any

from django.test import Client
from django.utils import timezone

from accounts import access_tokens
from accounts.actions.api_sessions import REFRESH_LIFETIME
from accounts.models import ApiSession, User
from accounts.roles import roles_of

BASE = "/api/v1"


class Answer:
    """What came back; `body` is None where there is none."""

    def __init__(self, response: Any) -> None:
        self.status: int = response.status_code
        self.headers = response.headers
        self.text: str = response.content.decode()
        self.body: Any = json.loads(response.content) if response.content else None

    @property
    def code(self) -> str:
        """The code of a refusal."""
        assert self.headers["Content-Type"] == "application/problem+json", self.text
        assert self.body["status"] == self.status
        assert self.body["request_id"] == self.headers["X-Request-ID"]
        return str(self.body["code"])


class ApiClient:
    """Sends requests with a token; without one if it is empty."""

    def __init__(self, token: str = "") -> None:
        self.token = token
        self._client = Client(raise_request_exception=False)

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """`path` below /api/v1, with its query; `body` as JSON, or `raw` bytes as they are."""
        content = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        given = dict(headers or {})
        if self.token:
            given["Authorization"] = f"Bearer {self.token}"
        kind = given.pop("Content-Type", "application/json")
        response = self._client.generic(
            method, BASE + path, content, content_type=kind, headers=given
        )
        return Answer(response)

    def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        return self("GET", path, headers=headers)

    def post(self, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        return self("POST", path, {} if body is None else body, headers=headers)

    def patch(self, path: str, body: Any, headers: dict[str, str] | None = None) -> Answer:
        return self("PATCH", path, body, headers=headers)

    def delete(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        return self("DELETE", path, headers=headers)


def session_of(person: User) -> ApiSession:
    """A session as a login makes it, without the time that a password's hash takes."""
    return ApiSession.objects.create(user=person, expires_at=timezone.now() + REFRESH_LIFETIME)


def api_for(person: User) -> ApiClient:
    """A client with an access token of a person, with the roles they have now."""
    return ApiClient(access_tokens.issue(session_of(person), roles_of(person)))
