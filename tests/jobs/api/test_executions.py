"""Attempts and their logs by HTTP."""

import pytest

from accounts.models import User
from jobs.lifecycle import Status
from jobs.models import ExecutionLog, Job, JobExecution
from tests.api_client import api_for
from tests.factories import claim, make_job, make_worker, succeed


def logged(job: Job, *texts: str) -> JobExecution:
    execution = JobExecution.objects.filter(job=job).latest("number")
    for sequence, text in enumerate(texts):
        ExecutionLog.objects.create(
            execution=execution, sequence=sequence, stream="stdout", text=text
        )
    return execution


def test_attempts_are_listed_newest_first_and_without_their_tracebacks(user: User) -> None:
    job = make_job(Status.DEAD_LETTER, owner=user)
    api = api_for(user)
    api.post(f"/jobs/{job.id}/retry")
    claim(job.id, make_worker())
    items = api.get(f"/jobs/{job.id}/executions").body["items"]
    assert [(item["number"], item["status"]) for item in items] == [(2, "RUNNING"), (1, "FAILED")]
    assert items[1]["error_message"] == "as asked"
    assert items[1]["duration_ms"] >= 0
    assert "traceback" not in items[1]


def test_one_attempt_tells_its_result_with_secrets_masked(user: User) -> None:
    job = make_job(owner=user)
    succeed(claim(job.id, make_worker()), {"token": "hunter2", "rows": 3})
    body = api_for(user).get(f"/jobs/{job.id}/executions/1").body
    assert body["result"] == {"token": "•••", "rows": 3}
    assert body["traceback"] == ""


@pytest.mark.parametrize("number", [0, 2, 2**31, 10**30])
def test_an_attempt_that_was_not_is_not_found(user: User, number: int) -> None:
    job = make_job(Status.SUCCEEDED, owner=user)
    assert api_for(user).get(f"/jobs/{job.id}/executions/{number}").status == 404


def test_a_log_is_read_piece_by_piece(user: User) -> None:
    job = make_job(Status.RUNNING, owner=user)
    execution = logged(job, "one\n", "two\n")
    api = api_for(user)
    first = api.get(f"/jobs/{job.id}/log").body
    assert [item["text"] for item in first["items"]] == ["one\n", "two\n"]
    assert first["execution"] == 1
    following = first["next"].removeprefix("/api/v1")
    assert api.get(following).body["items"] == []
    ExecutionLog.objects.create(execution=execution, sequence=2, stream="log", text="three\n")
    more = api.get(following).body
    assert [item["text"] for item in more["items"]] == ["three\n"]


def test_a_log_of_nothing_can_be_asked_for_again(user: User) -> None:
    running = make_job(Status.RUNNING, owner=user)
    body = api_for(user).get(f"/jobs/{running.id}/log").body
    assert body["next"] == f"/api/v1/jobs/{running.id}/log?execution=1"
    waiting = make_job(owner=user)
    body = api_for(user).get(f"/jobs/{waiting.id}/log").body
    assert body == {"execution": None, "items": [], "next": None}


@pytest.mark.parametrize("query", ["execution=x", "after=-1", "after=99999999999", "after=%ff"])
def test_a_number_that_cannot_be_is_refused(user: User, query: str) -> None:
    job = make_job(Status.SUCCEEDED, owner=user)
    assert api_for(user).get(f"/jobs/{job.id}/log?{query}").status == 400


@pytest.mark.parametrize("what", ["", "/executions", "/executions/1", "/log"])
def test_nothing_of_somebody_elses_job_is_seen(user: User, other_user: User, what: str) -> None:
    job = make_job(Status.SUCCEEDED, owner=user)
    logged(job, "secret")
    answer = api_for(other_user).get(f"/jobs/{job.id}{what}")
    assert (answer.status, answer.code) == (404, "NOT_FOUND")
    assert "secret" not in answer.text
