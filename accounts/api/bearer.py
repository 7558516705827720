"""Who is asking, by the token in the Authorization header. No cookie counts here."""

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.authentication import origin_of
from accounts.credentials import Credential, credential_of
from accounts.errors import InvalidToken
from accounts.models import User

#: Characters of the whole header.
MAX_HEADER = 5_000


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`, access or personal; `request.auth` is its Credential."""

    def authenticate(self, request: Request) -> tuple[User, Credential] | None:
        """None without the header. Raises InvalidToken or TokenExpired."""
        header = request.headers.get("Authorization", "")
        if not header:
            return None
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer" or not token.strip() or len(header) > MAX_HEADER:
            raise InvalidToken("Send the token as Authorization: Bearer <token>.")
        return credential_of(token.strip(), origin_of(request))

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"
