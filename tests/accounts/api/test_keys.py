"""One's own sessions and personal tokens, by HTTP."""

from accounts.models import ApiSession, PersonalToken, User
from tests.api_client import Answer, ApiClient, api_for


def make(api: ApiClient, scope: str = "write") -> Answer:
    return api.post("/tokens", {"name": "nightly", "scope": scope})


def test_sessions_are_listed_with_the_present_one_marked(user: User, other_user: User) -> None:
    api_for(other_user)
    first, second = api_for(user), api_for(user)
    items = second.get("/auth/sessions").body["items"]
    assert [item["is_current"] for item in items] == [True, False]
    assert len(first.get("/auth/sessions").body["items"]) == 2


def test_a_session_is_revoked_at_once_and_only_by_its_person(user: User, other_user: User) -> None:
    api = api_for(user)
    session = ApiSession.objects.get(user=user)
    assert api_for(other_user).delete(f"/auth/sessions/{session.id}").code == "NOT_FOUND"
    assert api.delete(f"/auth/sessions/{session.id}").status == 204
    assert api.get("/auth/me").code == "INVALID_TOKEN"


def test_a_token_is_shown_once_and_works(user: User) -> None:
    api = api_for(user)
    made = make(api)
    assert made.status == 201
    token = made.body["token"]
    listed = api.get("/tokens")
    assert token not in listed.text
    assert listed.body["items"][0]["prefix"] == token[:8]
    me = ApiClient(token).get("/auth/me").body
    assert (me["token_kind"], me["can_write"]) == ("personal", True)


def test_a_reading_token_changes_nothing(user: User) -> None:
    token = ApiClient(make(api_for(user), "read").body["token"])
    assert token.get("/jobs").status == 200
    answer = token.post("/jobs", {"task": "tests.sample_app.tasks.noop"})
    assert (answer.status, answer.code) == (403, "TOKEN_READ_ONLY")


def test_a_personal_token_can_neither_make_nor_revoke_keys(user: User) -> None:
    token = ApiClient(make(api_for(user)).body["token"])
    answers = [
        make(token),
        token.get("/tokens"),
        token.delete(f"/tokens/{PersonalToken.objects.get().id}"),
        token.delete(f"/auth/sessions/{ApiSession.objects.get().id}"),
        token.post("/auth/password", {"current": "x", "password": "y"}),
    ]
    assert {answer.code for answer in answers} == {"LOGIN_NEEDED"}


def test_a_revoked_token_is_refused_at_once(user: User, other_user: User) -> None:
    api = api_for(user)
    token = make(api).body
    assert api_for(other_user).delete(f"/tokens/{token['id']}").code == "NOT_FOUND"
    assert api.delete(f"/tokens/{token['id']}").status == 204
    assert ApiClient(token["token"]).get("/auth/me").code == "INVALID_TOKEN"


def test_what_cannot_be_is_refused_by_name(user: User) -> None:
    api = api_for(user)
    for body, field in [
        ({"scope": "read"}, "name"),
        ({"name": "x", "scope": "admin"}, "scope"),
        ({"name": "x", "scope": "read", "expires_in_days": 367}, "expires_in_days"),
        ({"name": "x", "scope": "read", "user": 1}, "user"),
    ]:
        answer = api.post("/tokens", body)
        assert (answer.status, answer.body["field"]) == (400, field)
