"""Login, refresh, logout, me and one's own password, by HTTP."""

from accounts.models import User
from audit.models import AuditEvent
from tests.api_client import Answer, ApiClient, api_for
from tests.factories import PASSWORD

ANYBODY = ApiClient()


def login(user: User, password: str = PASSWORD) -> Answer:
    return ANYBODY.post("/auth/login", {"email": user.email, "password": password})


def test_a_login_gives_tokens_that_work(user: User) -> None:
    answer = login(user)
    assert answer.status == 200
    assert (answer.body["token_type"], answer.body["expires_in"]) == ("Bearer", 900)
    me = ApiClient(answer.body["access_token"]).get("/auth/me")
    assert me.body == {
        "id": user.pk,
        "email": "user@example.com",
        "roles": ["USER"],
        "token_kind": "access",
        "can_write": True,
    }
    assert answer.headers["Cache-Control"] == "no-store"


def test_unknown_accounts_and_wrong_passwords_are_told_the_same(user: User) -> None:
    wrong = login(user, "wrong")
    unknown = ANYBODY.post("/auth/login", {"email": "nobody@example.com", "password": PASSWORD})
    assert wrong.code == unknown.code == "BAD_CREDENTIALS"
    assert wrong.body["detail"] == unknown.body["detail"]
    assert AuditEvent.objects.filter(event_type="LOGIN_FAILED").count() == 2


def test_a_locked_account_is_told_so_only_with_its_password(user: User) -> None:
    User.objects.update(status="LOCKED")
    assert (login(user).status, login(user).code) == (403, "ACCOUNT_LOCKED")
    assert login(user, "wrong").code == "BAD_CREDENTIALS"


def test_a_login_names_the_field_that_is_missing(db: None) -> None:
    answer = ANYBODY.post("/auth/login", {"email": "a@example.com"})
    assert (answer.status, answer.code, answer.body["field"]) == (400, "INVALID_INPUT", "password")


def test_a_refresh_rotates_and_a_replay_ends_the_session(user: User) -> None:
    first = login(user).body
    second = ANYBODY.post("/auth/refresh", {"refresh_token": first["refresh_token"]}).body
    assert ApiClient(second["access_token"]).get("/auth/me").status == 200
    replay = ANYBODY.post("/auth/refresh", {"refresh_token": first["refresh_token"]})
    assert (replay.status, replay.code) == (401, "REFRESH_TOKEN_REUSED")
    again = ANYBODY.post("/auth/refresh", {"refresh_token": second["refresh_token"]})
    assert again.code == "INVALID_REFRESH_TOKEN"
    assert ApiClient(second["access_token"]).get("/auth/me").code == "INVALID_TOKEN"


def test_a_refresh_token_is_no_access_token_and_the_other_way_round(user: User) -> None:
    tokens = login(user).body
    assert ApiClient(tokens["refresh_token"]).get("/auth/me").code == "INVALID_TOKEN"
    answer = ANYBODY.post("/auth/refresh", {"refresh_token": tokens["access_token"]})
    assert (answer.status, answer.body["field"]) in ((400, "refresh_token"), (401, ""))


def test_a_logout_ends_the_access_token_at_once(user: User) -> None:
    tokens = login(user).body
    assert ANYBODY.post("/auth/logout", {"refresh_token": tokens["refresh_token"]}).status == 204
    assert ApiClient(tokens["access_token"]).get("/auth/me").code == "INVALID_TOKEN"


def test_a_logout_with_an_unknown_token_is_no_error(db: None) -> None:
    assert ANYBODY.post("/auth/logout", {"refresh_token": "cpr_unknown"}).status == 204


def test_a_new_password_ends_all_sessions(user: User) -> None:
    api = api_for(user)
    new = {"current": PASSWORD, "password": "quite another one"}
    assert api.post("/auth/password", new).status == 204
    assert api.get("/auth/me").status == 401
    assert login(user, "quite another one").status == 200


def test_a_new_password_needs_the_old_one_and_twelve_characters(user: User) -> None:
    api = api_for(user)
    wrong = api.post("/auth/password", {"current": "wrong", "password": "quite another one"})
    assert (wrong.status, wrong.body["field"]) == (400, "current")
    short = api.post("/auth/password", {"current": PASSWORD, "password": "short"})
    assert (short.status, short.body["field"]) == (400, "password")
    assert "12" in short.body["detail"]


def test_many_failed_logins_make_the_next_wait(user: User) -> None:
    for _ in range(10):
        login(user, "wrong")
    answer = login(user)
    assert (answer.status, answer.code) == (429, "TOO_MANY_ATTEMPTS")
