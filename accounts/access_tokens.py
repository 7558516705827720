"""Access tokens: JWTs that say who asks and with which roles, for a quarter of an hour.

Signed with HS256 and a key of their own; no other algorithm is accepted, and nothing in a token's
header is ever followed. Algorithm, key, issuer and audience stand in settings.SIMPLE_JWT.
"""

from dataclasses import dataclass
from typing import Any, cast

from rest_framework_simplejwt.exceptions import ExpiredTokenError, TokenError
from rest_framework_simplejwt.settings import api_settings
from rest_framework_simplejwt.tokens import Token

from accounts.errors import InvalidToken, TokenExpired
from accounts.models import ApiSession
from accounts.roles import ROLES

#: Characters. Ours have about 450; a longer one is refused unread.
MAX_LENGTH = 4_096
LIFETIME = api_settings.ACCESS_TOKEN_LIFETIME


@dataclass(frozen=True, slots=True)
class Claims:
    """What a valid access token says."""

    user_id: int
    session_id: int
    roles: frozenset[str]


class AccessToken(Token):
    """The JWT itself; simplejwt checks its signature, issuer, audience, times, id and type."""

    token_type = "access"  # noqa: S105 - a name
    lifetime = LIFETIME

    def verify(self) -> None:
        """Refuse also what lacks a claim of ours. Raises TokenError."""
        super().verify()
        claims = self.payload
        numbers = (claims.get("nbf"), claims.get("iat"), claims.get("sid"))
        roles = claims.get("roles")
        if not all(type(number) is int for number in numbers) or not isinstance(roles, list):
            raise TokenError("Token lacks a claim")
        if not str(claims.get("sub", "")).isdecimal():
            raise TokenError("Token has no subject")


def issue(session: ApiSession, roles: frozenset[str]) -> str:
    """An access token for a session's person with these roles."""
    token = AccessToken()
    token["sub"] = str(session.user_id)
    token["sid"] = session.id
    token["roles"] = sorted(roles)
    token["nbf"] = token["iat"]
    return str(token)


def read(text: str) -> Claims:
    """What a token says. Raises TokenExpired, or InvalidToken for one that we did not make."""
    if len(text) > MAX_LENGTH or not text.isascii():
        raise InvalidToken(f"An access token is ASCII, of at most {MAX_LENGTH} characters.")
    try:
        payload: dict[str, Any] = AccessToken(cast(Any, text)).payload
    except ExpiredTokenError:
        raise TokenExpired from None
    except TokenError:
        raise InvalidToken from None
    roles = frozenset(role for role in payload["roles"] if role in ROLES)
    return Claims(int(payload["sub"]), payload["sid"], roles)
