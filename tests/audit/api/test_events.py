"""The audit trail by HTTP."""

import pytest

from accounts.models import User
from jobs.lifecycle import Status
from tests.api_client import api_for
from tests.factories import make_job


def test_events_are_filtered_as_on_the_page(operator: User) -> None:
    job = make_job(Status.DEAD_LETTER)
    api = api_for(operator)
    api.post(f"/jobs/{job.id}/retry")
    items = api.get("/audit?event_type=JOB_RETRIED").body["items"]
    assert [(item["target_id"], item["actor"]) for item in items] == [(job.id, operator.email)]
    assert api.get("/audit?actor=system").body["items"][0]["actor_id"] is None
    assert api.get("/audit?since=2099-01-01T00:00:00Z").body["items"] == []


def test_the_trail_of_one_thing_is_read_by_its_address(operator: User) -> None:
    make_job(Status.SUCCEEDED)
    job = make_job(Status.SUCCEEDED)
    items = api_for(operator).get(f"/audit/targets/job/{job.id}").body["items"]
    assert {item["target_id"] for item in items} == {job.id}
    assert [item["event_type"] for item in items][-1] == "JOB_CREATED"


def test_pages_of_the_trail_follow_one_another(operator: User) -> None:
    for _ in range(3):
        make_job()
    api = api_for(operator)
    first = api.get("/audit?page_size=2&event_type=JOB_CREATED").body
    second = api.get(first["next"].removeprefix("/api/v1")).body
    found = [item["id"] for item in first["items"] + second["items"]]
    assert found == sorted(set(found), reverse=True)
    assert len(found) == 3


def test_addresses_and_agents_of_people_are_not_told(operator: User) -> None:
    api = api_for(operator)
    api.post("/jobs", {"task": "tests.sample_app.tasks.noop"})
    item = api.get("/audit").body["items"][0]
    assert {"ip_address", "user_agent"}.isdisjoint(item)
    assert set(api.get("/audit?fields=id,event_type").body["items"][0]) == {"id", "event_type"}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("event_type=GONE", "event_type"),
        ("actor=%00", "actor"),
        ("actor=nobody@example.com", "actor"),
        ("target_id=0", "target_id"),
        ("target_id=99999999999999999999", "target_id"),
        ("since=yesterday", "since"),
        ("since=2026-02-01&until=2026-01-01", "until"),
        ("metadata__x=1", "metadata__x"),
    ],
)
def test_a_filter_that_cannot_be_names_the_field(operator: User, query: str, field: str) -> None:
    answer = api_for(operator).get(f"/audit?{query}")
    assert (answer.status, answer.body["field"]) == (400, field)


def test_a_kind_of_thing_that_is_none_is_refused(operator: User) -> None:
    answer = api_for(operator).get("/audit/targets/secret/1")
    assert (answer.status, answer.body["field"]) == (400, "target_type")
