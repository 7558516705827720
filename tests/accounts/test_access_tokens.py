"""Access tokens: what is accepted, and every forgery that is not."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import jwt
import pytest
from django.conf import settings
from django.utils import timezone

from accounts import access_tokens
from accounts.errors import InvalidToken, TokenExpired
from accounts.models import User
from tests.api_client import ApiClient, session_of

KEY = settings.JWT_SIGNING_KEY


def good_claims(**changes: Any) -> dict[str, Any]:
    now = int(timezone.now().timestamp())
    claims = {
        "iss": "controlplane",
        "aud": "controlplane-api",
        "sub": "7",
        "sid": 3,
        "roles": ["USER"],
        "iat": now,
        "nbf": now,
        "exp": now + 900,
        "jti": "0123456789abcdef",
        "token_type": "access",
    }
    claims.update(changes)
    return {name: value for name, value in claims.items() if value is not None}


def signed(claims: dict[str, Any], *, key: str = KEY, **options: Any) -> str:
    return jwt.encode(claims, key, **{"algorithm": "HS256", **options})


def part(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def test_a_token_says_who_asks_and_with_which_roles(user: User) -> None:
    session = session_of(user)
    claims = access_tokens.read(access_tokens.issue(session, frozenset({"USER", "OPERATOR"})))
    assert (claims.user_id, claims.session_id) == (user.pk, session.id)
    assert claims.roles == {"USER", "OPERATOR"}


def test_a_token_has_every_claim_and_lasts_a_quarter_of_an_hour(user: User) -> None:
    token = access_tokens.issue(session_of(user), frozenset({"USER"}))
    claims = jwt.decode(token, KEY, algorithms=["HS256"], audience="controlplane-api")
    assert set(claims) == set(good_claims())
    assert claims["exp"] - claims["iat"] == 900
    assert claims["iss"] == "controlplane"
    assert jwt.get_unverified_header(token)["alg"] == "HS256"


def test_the_claims_that_the_forgeries_below_change_are_good_as_they_are() -> None:
    assert access_tokens.read(signed(good_claims())).user_id == 7


def test_roles_that_we_do_not_know_grant_nothing() -> None:
    claims = good_claims(roles=["ADMIN", "SYSTEM", "root"])
    assert access_tokens.read(signed(claims)).roles == {"ADMIN"}


def unsigned() -> str:
    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(good_claims())}."


def signed_by_public_means(algorithm: str) -> str:
    """As if the key of another algorithm were an HMAC key."""
    text = f"{part({'alg': algorithm, 'typ': 'JWT'})}.{part(good_claims())}"
    digest = hmac.new(KEY.encode(), text.encode(), hashlib.sha256).digest()
    return f"{text}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def with_other_payload() -> str:
    head, _, tail = signed(good_claims()).split(".")
    return f"{head}.{part(good_claims(roles=['ADMIN']))}.{tail}"


def later(**delta: int) -> int:
    return int((timezone.now() + timedelta(**delta)).timestamp())


FORGERIES: dict[str, Callable[[], str]] = {
    "no algorithm": unsigned,
    "another HMAC": lambda: signed(good_claims(), algorithm="HS512"),
    "RS256 in the header": lambda: signed_by_public_means("RS256"),
    "another payload": with_other_payload,
    "no signature": lambda: signed(good_claims()).rpartition(".")[0] + ".",
    "another key": lambda: signed(good_claims(), key="x" * 40),
    "the secret key": lambda: signed(good_claims(), key=settings.SECRET_KEY),
    "valid later": lambda: signed(good_claims(nbf=later(minutes=5))),
    "another audience": lambda: signed(good_claims(aud="elsewhere")),
    "no audience": lambda: signed(good_claims(aud=None)),
    "another issuer": lambda: signed(good_claims(iss="elsewhere")),
    "no issuer": lambda: signed(good_claims(iss=None)),
    "no end": lambda: signed(good_claims(exp=None)),
    "no beginning": lambda: signed(good_claims(nbf=None)),
    "no id": lambda: signed(good_claims(jti=None)),
    "no subject": lambda: signed(good_claims(sub=None)),
    "a name as subject": lambda: signed(good_claims(sub="7 or 1=1")),
    "no session": lambda: signed(good_claims(sid=None)),
    "a true session": lambda: signed(good_claims(sid=True)),
    "no roles": lambda: signed(good_claims(roles=None)),
    "roles as text": lambda: signed(good_claims(roles="ADMIN")),
    "a refresh token": lambda: signed(good_claims(token_type="refresh")),
    "no type": lambda: signed(good_claims(token_type=None)),
    "a path as key id": lambda: signed(
        good_claims(), key="x" * 40, headers={"kid": "../../../../dev/null"}
    ),
    "a key in the header": lambda: signed(
        good_claims(), key="x" * 40, headers={"jwk": {"kty": "oct", "k": "eHh4eA"}}
    ),
    "an address of keys": lambda: signed(
        good_claims(), key="x" * 40, headers={"jku": "http://127.0.0.1/keys"}
    ),
    "an unknown critical header": lambda: signed(
        good_claims(), headers={"crit": ["zip"], "zip": "DEF"}
    ),
    "twenty kilobytes": lambda: signed(good_claims(padding="x" * 20_000)),
    "nothing": lambda: "x",
    "dots": lambda: "..",
    "no base64": lambda: "é.é.é",
    "half a surrogate": lambda: "\ud800.a.b",
    "a NUL": lambda: "a.\x00.c",
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forgery_is_refused(what: str) -> None:
    with pytest.raises(InvalidToken):
        access_tokens.read(FORGERIES[what]())


def test_an_expired_token_is_told_from_a_forged_one() -> None:
    with pytest.raises(TokenExpired):
        access_tokens.read(signed(good_claims(exp=later(seconds=-1))))


@pytest.mark.parametrize(
    "what", sorted(set(FORGERIES) - {"half a surrogate", "no base64", "a NUL"})
)
def test_the_api_answers_401_to_a_forgery(user: User, what: str) -> None:
    answer = ApiClient(FORGERIES[what]()).get("/auth/me")
    assert (answer.status, answer.code) == (401, "INVALID_TOKEN")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_well_made_token_without_its_session_is_refused(user: User) -> None:
    answer = ApiClient(signed(good_claims(sub=str(user.pk), sid=999_999))).get("/auth/me")
    assert answer.code == "INVALID_TOKEN"


def test_a_token_with_the_session_of_somebody_else_is_refused(user: User, admin: User) -> None:
    session = session_of(user)
    answer = ApiClient(signed(good_claims(sub=str(admin.pk), sid=session.id))).get("/auth/me")
    assert answer.code == "INVALID_TOKEN"
