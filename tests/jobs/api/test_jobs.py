"""Listing, enqueueing and reading jobs by HTTP."""

from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from audit.models import AuditEvent
from jobs.lifecycle import Status
from jobs.models import Job
from tests.api_client import Answer, ApiClient, api_for
from tests.factories import make_job, make_jobs

NOOP = "tests.sample_app.tasks.noop"
ADD = "tests.sample_app.tasks.add"


def ids(answer: Answer) -> list[int]:
    assert answer.status == 200, answer.text
    return [item["id"] for item in answer.body["items"]]


def test_pages_follow_one_another_without_gap_or_double(operator: User) -> None:
    made = make_jobs(7)
    api = api_for(operator)
    seen: list[int] = []
    path: str | None = "/jobs?page_size=3"
    while path:
        answer = api.get(path)
        seen += ids(answer)
        following = answer.body["next"]
        path = following and following.removeprefix("/api/v1")
    assert seen == sorted(made, reverse=True)


def test_what_is_new_is_asked_for_by_the_last_id_seen(operator: User) -> None:
    first = make_jobs(2)
    second = make_jobs(2)
    assert ids(api_for(operator).get(f"/jobs?after={first[-1]}")) == second[::-1]
    assert ids(api_for(operator).get(f"/jobs?after={second[-1]}")) == []


def test_filters_are_those_of_the_page(operator: User) -> None:
    dead = make_job(Status.DEAD_LETTER)
    mail = make_job(queue="mail")
    add = make_job(task=ADD)
    api = api_for(operator)
    assert ids(api.get("/jobs?status=DEAD_LETTER")) == [dead.id]
    assert ids(api.get("/jobs?queue=mail")) == [mail.id]
    assert ids(api.get("/jobs?task=add")) == [add.id]


def test_a_user_lists_their_own(user: User, other_user: User, operator: User) -> None:
    own = make_job(owner=user)
    other = make_job(owner=other_user)
    assert ids(api_for(user).get("/jobs")) == [own.id]
    assert ids(api_for(operator).get("/jobs")) == [other.id, own.id]


@pytest.mark.parametrize(
    "query",
    [
        "status=%00", "status=GONE", "queue=%00", "before=null", "before=%ff", "before=-1",
        "before=1e9", "before=99999999999999999999", "page_size=0", "page_size=201", "page=-1",
        "cursor=null", "search=%00", "fields=nothing", "before=1&after=1", "status=a&status=b",
        "owner__password__startswith=x", "sort=id%27", "task=" + "x" * 256,
    ],
)  # fmt: skip
def test_a_query_that_cannot_be_is_refused(operator: User, query: str) -> None:
    make_job()
    answer = api_for(operator).get(f"/jobs?{query}")
    assert (answer.status, answer.code) == (400, "INVALID_INPUT")


def test_a_job_is_enqueued_and_is_its_senders(user: User) -> None:
    body = {"task": ADD, "args": [1], "kwargs": {"b": 2}, "queue": "mail", "priority": 7}
    answer = api_for(user).post("/jobs", body)
    job = Job.objects.get()
    assert answer.status == 201
    assert answer.headers["Location"] == f"/api/v1/jobs/{job.id}"
    assert (job.owner_id, job.trigger, job.queue, job.priority) == (user.pk, "api", "mail", 7)
    assert (answer.body["args"], answer.body["kwargs"]) == ([1], {"b": 2})
    assert answer.body["actions"] == ["cancel"]
    assert AuditEvent.objects.get(event_type="JOB_CREATED").target_id == job.id


def test_a_job_may_wait_for_a_time(user: User) -> None:
    later = "2099-01-01T00:00:00Z"
    answer = api_for(user).post("/jobs", {"task": NOOP, "run_after": later})
    assert (answer.body["status"], answer.body["run_after"]) == ("SCHEDULED", later)


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 400, "task"),
        ({"task": "nothing.here"}, 404, "task"),
        ({"task": "os.system"}, 404, "task"),
        ({"task": NOOP, "args": "text"}, 400, "args"),
        ({"task": NOOP, "kwargs": []}, 400, "kwargs"),
        ({"task": ADD}, 400, "a"),
        ({"task": NOOP, "kwargs": {"nope": 1}}, 400, "nope"),
        ({"task": NOOP, "kwargs": {"a": "x\x00"}}, 400, None),
        ({"task": ADD, "args": ["\x00", 1]}, 400, "args[0]"),
        ({"task": ADD, "args": ["\ud800", 1]}, 400, "args[0]"),
        ({"task": NOOP + "\x00"}, 400, "task"),
        ({"task": NOOP, "queue": "a\x00"}, 400, "queue"),
        ({"task": NOOP, "queue": "x" * 101}, 400, "queue"),
        ({"task": NOOP, "priority": 101}, 400, "priority"),
        ({"task": NOOP, "priority": "high"}, 400, "priority"),
        ({"task": NOOP, "max_attempts": 0}, 400, "max_attempts"),
        ({"task": NOOP, "max_attempts": 22}, 400, "max_attempts"),
        ({"task": NOOP, "timeout_seconds": -1}, 400, "timeout_seconds"),
        ({"task": NOOP, "timeout_seconds": 1e308}, 400, "timeout_seconds"),
        ({"task": NOOP, "run_after": "tomorrow"}, 400, "run_after"),
        ({"task": NOOP, "owner_id": 1}, 400, "owner_id"),
        ({"task": NOOP, "lease_token": "x"}, 400, "lease_token"),
    ],
)
def test_what_cannot_be_enqueued_names_the_field(
    user: User, body: dict[str, Any], status: int, field: str | None
) -> None:
    answer = api_for(user).post("/jobs", body)
    assert answer.status == status, answer.text
    assert answer.code
    assert field is None or answer.body["field"] == field
    assert not Job.objects.exists()


def keyed(api: ApiClient, body: dict[str, Any], key: str = "k-1") -> Answer:
    return api.post("/jobs", body, headers={"Idempotency-Key": key})


def test_the_same_request_again_gives_the_same_job(user: User) -> None:
    api = api_for(user)
    body = {"task": ADD, "args": [1, 2]}
    first, second = keyed(api, body), keyed(api, body)
    assert (first.status, second.status) == (201, 200)
    assert first.body["id"] == second.body["id"]
    assert Job.objects.count() == 1


@pytest.mark.parametrize(
    "change",
    [{"args": [1, 3]}, {"task": NOOP, "args": []}, {"priority": 5}, {"queue": "mail"},
     {"max_attempts": 1}, {"timeout_seconds": 9}],
)  # fmt: skip
def test_another_request_with_the_key_is_refused(user: User, change: dict[str, Any]) -> None:
    api = api_for(user)
    body = {"task": ADD, "args": [1, 2]}
    keyed(api, body)
    answer = keyed(api, {**body, **change})
    assert (answer.status, answer.code) == (409, "IDEMPOTENCY_CONFLICT")
    assert Job.objects.count() == 1


def test_a_key_is_its_owners_alone(user: User, other_user: User) -> None:
    first = keyed(api_for(user), {"task": NOOP})
    second = keyed(api_for(other_user), {"task": ADD, "args": [1, 2]})
    assert (first.status, second.status) == (201, 201)


def test_a_key_still_holds_when_its_job_has_ended(user: User) -> None:
    api = api_for(user)
    made = keyed(api, {"task": NOOP}).body["id"]
    assert api.post(f"/jobs/{made}/cancel").body["status"] == "CANCELLED"
    again = keyed(api, {"task": NOOP})
    assert (again.status, again.body["id"]) == (200, made)


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb", "ü"])
def test_an_odd_key_is_refused(user: User, key: str) -> None:
    answer = keyed(api_for(user), {"task": NOOP}, key)
    assert (answer.status, answer.body["field"]) == (400, "Idempotency-Key")


def test_stats_count_what_one_may_see(user: User, operator: User) -> None:
    make_job(owner=user)
    make_job(Status.DEAD_LETTER)
    mine = api_for(user).get("/jobs/stats").body
    assert (mine["counts"]["PENDING"], mine["counts"]["DEAD_LETTER"]) == (1, 0)
    everything = api_for(operator).get("/jobs/stats").body
    assert (everything["counts"]["PENDING"], everything["counts"]["DEAD_LETTER"]) == (1, 1)
    assert set(mine["counts"]) == set(Status.values)
    assert mine["counts"]["SUCCEEDED"] is None
    assert mine["limit"] == 1_000


def test_sensitive_arguments_are_masked(user: User) -> None:
    job = make_job(owner=user, kwargs={"password": "hunter2", "headers": {"Authorization": "x"}})
    answer = api_for(user).get(f"/jobs/{job.id}")
    assert "hunter2" not in answer.text
    assert answer.body["kwargs"] == {"password": "•••", "headers": {"Authorization": "•••"}}


def test_actions_are_those_that_would_be_obeyed(user: User) -> None:
    job = make_job(Status.DEAD_LETTER, owner=user)
    api = api_for(user)
    assert api.get(f"/jobs/{job.id}").body["actions"] == ["retry", "discard"]
    token = api.post("/tokens", {"name": "x", "scope": "read"}).body["token"]
    assert ApiClient(token).get(f"/jobs/{job.id}").body["actions"] == []


def test_fields_can_be_chosen(operator: User) -> None:
    job = make_job()
    expected = {"id": job.id, "status": "PENDING"}
    assert api_for(operator).get(f"/jobs/{job.id}?fields=id,status").body == expected
    assert api_for(operator).get("/jobs?fields=id,status").body["items"] == [expected]


def test_a_list_needs_few_queries_however_long_it_is(
    operator: User, django_assert_max_num_queries: Any
) -> None:
    make_jobs(50)
    api = api_for(operator)
    with django_assert_max_num_queries(5):
        assert len(ids(api.get("/jobs"))) == 50


def test_times_are_in_utc(operator: User) -> None:
    job = make_job()
    created = api_for(operator).get(f"/jobs/{job.id}").body["created_at"]
    assert created.endswith("Z")
    assert created[:10] == timezone.now().date().isoformat()
