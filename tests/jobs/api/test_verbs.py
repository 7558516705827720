"""Verbs on one job and on many, by HTTP; tests/contracts holds them against the pages."""

import pytest

from accounts.models import User
from audit.models import AuditEvent
from jobs.lifecycle import Status
from jobs.models import Job
from tests.api_client import api_for
from tests.factories import make_job


def test_a_verb_answers_with_the_job_as_it_is_then(user: User) -> None:
    job = make_job(owner=user)
    answer = api_for(user).post(f"/jobs/{job.id}/cancel", {"reason": "wrong feed"})
    assert (answer.status, answer.body["status"], answer.body["actions"]) == (200, "CANCELLED", [])
    event = AuditEvent.objects.get(event_type="JOB_CANCELLED")
    assert event.metadata["reason"] == "wrong feed"
    assert event.request_id == answer.headers["X-Request-ID"]
    assert event.ip_address == "127.0.0.1"


@pytest.mark.parametrize("verb", ["cancel", "retry", "discard"])
def test_a_verb_needs_no_body(user: User, verb: str) -> None:
    job = make_job(Status.PENDING if verb == "cancel" else Status.DEAD_LETTER, owner=user)
    assert api_for(user)("POST", f"/jobs/{job.id}/{verb}").status == 200


@pytest.mark.parametrize("verb", ["cancel", "retry", "discard", "verification"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_nothing_is_changed_by_another_method(user: User, verb: str, method: str) -> None:
    job = make_job(Status.DEAD_LETTER, owner=user)
    assert api_for(user)(method, f"/jobs/{job.id}/{verb}").status == 405
    assert Job.objects.get().status == Status.DEAD_LETTER


@pytest.mark.parametrize("reason", ["x" * 501, "a\x00", "\ud800"])
def test_a_reason_has_its_limits(user: User, reason: str) -> None:
    job = make_job(owner=user)
    answer = api_for(user).post(f"/jobs/{job.id}/cancel", {"reason": reason})
    assert (answer.status, answer.body["field"]) == (400, "reason")


def test_a_decision_is_one_of_three(user: User) -> None:
    job = make_job(Status.NEEDS_VERIFICATION, owner=user)
    answer = api_for(user).post(f"/jobs/{job.id}/verification", {"decision": "perhaps"})
    assert (answer.status, answer.body["field"]) == (400, "decision")


def test_many_jobs_are_acted_on_with_a_result_for_each(user: User, other_user: User) -> None:
    api = api_for(user)
    mine, ended = make_job(owner=user), make_job(Status.SUCCEEDED, owner=user)
    others = make_job(owner=other_user)
    body = {"verb": "cancel", "ids": [others.id, ended.id, mine.id]}
    dry = api.post("/jobs/bulk", {**body, "dry_run": True}).body
    assert Job.objects.get(id=mine.id).status == Status.PENDING
    real = api.post("/jobs/bulk", body).body
    assert (dry["done"], dry["refused"]) == (real["done"], real["refused"]) == (1, 2)
    assert (dry["dry_run"], real["dry_run"]) == (True, False)
    assert [(item["id"], item["code"]) for item in real["items"]] == [
        (mine.id, ""),
        (ended.id, "CANNOT_CANCEL"),
        (others.id, "NOT_FOUND"),
    ]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"verb": "drop", "ids": [1]}, "verb"),
        ({"verb": "cancel"}, "ids"),
        ({"verb": "cancel", "ids": []}, "ids"),
        ({"verb": "cancel", "ids": list(range(1, 1_002))}, "ids"),
        ({"verb": "cancel", "ids": [0]}, "ids.0"),
        ({"verb": "cancel", "ids": [2**63]}, "ids.0"),
        ({"verb": "cancel", "ids": ["x"]}, "ids.0"),
    ],
)
def test_a_call_for_many_has_its_limits(user: User, body: dict[str, object], field: str) -> None:
    answer = api_for(user).post("/jobs/bulk", body)
    assert (answer.status, answer.body["field"]) == (400, field)
