"""Pages and API show the same things to the same people."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from jobs.lifecycle import Status
from tests.api_client import api_for
from tests.conftest import signed_in
from tests.factories import make_job

ADD = "tests.sample_app.tasks.add"


def shown_ids(client: Client, query: str) -> list[int]:
    page = client.get(f"/jobs/{query}").context["page"]
    return [listed.job.id for listed in page.items]


@pytest.mark.parametrize(
    "query",
    ["", "?status=DEAD_LETTER", "?queue=mail", "?task=add", "?status=dead_letter&queue=mail"],
)
def test_lists_of_jobs_agree(user: User, other_user: User, operator: User, query: str) -> None:
    for owner in (user, other_user, None):
        kinds: list[dict[str, Any]] = [{}, {"queue": "mail"}, {"task": ADD}]
        for columns in kinds:
            make_job(owner=owner, **columns)
            make_job(Status.DEAD_LETTER, owner=owner, **columns)
    for person in (user, other_user, operator):
        items = api_for(person).get(f"/jobs{query}").body["items"]
        assert [item["id"] for item in items] == shown_ids(signed_in(person), query)


@pytest.mark.parametrize(
    "query",
    ["status=GONE", "queue=%00", "before=x", "page_size=201", "status=FAILED&status=FAILED",
     "before=1&after=2"],
)  # fmt: skip
def test_a_bad_query_is_refused_by_both_with_one_sentence(operator: User, query: str) -> None:
    page = signed_in(operator).get(f"/jobs/?{query}")
    answer = api_for(operator).get(f"/jobs?{query}")
    assert page.status_code == answer.status == 400
    if "%00" not in query and "status=FAILED" not in query:  # the API says these in its own words
        assert page.context["error"].message == answer.body["detail"]


@pytest.mark.parametrize(("who", "status"), [("user", 403), ("operator", 200), ("admin", 200)])
def test_the_trail_is_open_to_the_same_people(
    who: str, status: int, request: pytest.FixtureRequest
) -> None:
    person = request.getfixturevalue(who)
    assert signed_in(person).get("/audit/").status_code == status
    assert api_for(person).get("/audit").status == status


def test_buttons_are_the_actions_of_the_api(user: User) -> None:
    for state in Status.values:
        job = make_job(state, owner=user)
        page = signed_in(user).get(f"/jobs/{job.id}/")
        buttons = [button.verb for button in page.context["buttons"]]
        assert buttons == api_for(user).get(f"/jobs/{job.id}").body["actions"]


def test_a_login_says_the_same_at_both(user: User) -> None:
    form = {"email": user.email, "password": "wrong"}
    page = Client().post("/login/", form)
    answer = api_for(user).post("/auth/login", form)
    assert page.status_code == answer.status == 401
    assert answer.body["detail"] in page.text
