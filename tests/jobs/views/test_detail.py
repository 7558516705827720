import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from jobs.lifecycle import Outcome, Status
from jobs.models import ExecutionLog, Job, JobExecution
from jobs.redaction import MASK
from tests.factories import make_job, make_odd_execution


def show(client: Client, job: Job, query: str = "") -> str:
    response = client.get(f"/jobs/{job.id}/{query}")
    assert response.status_code == 200
    return response.text


@pytest.mark.parametrize("status", Status)
def test_a_job_in_any_state_has_its_page(operator_client: Client, status: Status) -> None:
    job = make_job(status, kwargs={"customer_id": 88_123})
    page = show(operator_client, job)
    assert "tests.sample_app.tasks.noop" in page
    assert "&quot;customer_id&quot;: 88123" in page


def test_own_jobs_are_shown_and_others_look_as_if_they_did_not_exist(
    user: User, other_user: User, user_client: Client
) -> None:
    assert show(user_client, make_job(owner=user))
    hidden = user_client.get(f"/jobs/{make_job(owner=other_user).id}/")
    missing = user_client.get("/jobs/999999/")
    assert (hidden.status_code, missing.status_code) == (404, 404)


@pytest.mark.parametrize("id_", [0, 2**63, int("9" * 400)])
def test_an_impossible_id_is_not_found(operator_client: Client, id_: int) -> None:
    assert operator_client.get(f"/jobs/{id_}/").status_code == 404


@pytest.mark.parametrize("status", Status)
def test_a_page_asks_by_itself_only_while_the_job_runs(
    operator_client: Client, status: Status
) -> None:
    page = show(operator_client, make_job(status))
    assert 'data-live="job:' in page, "events reach it in every state"
    assert ("every 2s" in page) is (status is Status.RUNNING)


def test_the_refreshed_region_is_served_alone(operator_client: Client) -> None:
    job = make_job(Status.RUNNING)
    response = operator_client.get(
        f"/jobs/{job.id}/", headers={"HX-Request": "true", "HX-Target": "job"}
    )
    assert response.text.lstrip().startswith('<div class="stack" id="job"')
    assert 'hx-trigger="live, every 2s"' in response.text


def test_sensitive_values_are_masked(operator_client: Client) -> None:
    job = make_job(task="tests.sample_app.tasks.keep_secret", kwargs={"password": "hunter2"})
    page = show(operator_client, job)
    assert "hunter2" not in page
    assert MASK in page


def test_the_result_is_shown_when_there_is_one(operator_client: Client) -> None:
    job = make_job(Status.SUCCEEDED)
    JobExecution.objects.filter(job=job).update(result={"sent": 12, "password": "hunter2"})
    page = show(operator_client, job)
    assert "&quot;sent&quot;: 12" in page
    assert "hunter2" not in page


def test_an_execution_shows_its_error_and_traceback(operator_client: Client) -> None:
    job = make_job(Status.DEAD_LETTER)
    JobExecution.objects.filter(job=job).update(error_code="FLAW", traceback="Traceback <here>")
    page = show(operator_client, job)
    assert "tests.sample_app.tasks.Flaw" in page
    assert "as asked" in page
    assert re.search(r"<details[^>]*><summary>Traceback</summary>.*Traceback &lt;here&gt;", page)


def test_the_log_is_text_with_its_streams(operator_client: Client) -> None:
    job = make_job(Status.RUNNING)
    execution = JobExecution.objects.get(job=job)
    ExecutionLog.objects.create(
        execution=execution, sequence=1, stream="stderr", text="<script>alert(1)</script>\n"
    )
    page = show(operator_client, job)
    assert 'data-stream="stderr"' in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page


def test_an_earlier_execution_can_be_chosen(operator_client: Client) -> None:
    job = make_job(Status.FAILED)
    second = make_odd_execution(job, status=Outcome.INTERRUPTED, error_message="second")
    Job.objects.filter(pk=job.pk).update(executions_made=second.number)
    assert "Log of execution 2" in show(operator_client, job)
    assert "Log of execution 1" in show(operator_client, job, "?execution=1")


@pytest.mark.parametrize(
    ("value", "status"), [("0", 400), ("x", 400), ("%00", 400), ("9" * 30, 400), ("77", 404)]
)
def test_a_bad_choice_of_execution_is_refused_with_its_name(
    operator_client: Client, value: str, status: int
) -> None:
    response = operator_client.get(f"/jobs/{make_job().id}/?execution={value}")
    assert response.status_code == status
    assert "<code>execution</code>" in response.text


def test_progress_is_shown_as_far_as_it_is_known(operator_client: Client) -> None:
    job = make_job(Status.RUNNING)
    JobExecution.objects.filter(job=job).update(
        progress_done=420, progress_total=1000, progress_message="customer 420"
    )
    page = show(operator_client, job)
    assert '<progress class="progress__bar" value="420.000000" max="1000.000000"' in page
    assert "420 of 1000 · customer 420" in page


def test_only_those_who_may_read_the_audit_trail_see_it(
    user: User, user_client: Client, operator_client: Client
) -> None:
    job = make_job(owner=user)
    assert "Audit trail" not in show(user_client, job)
    assert "Job created" in show(operator_client, job)


@pytest.mark.parametrize("executions", [1, 6])
def test_the_page_costs_the_same_number_of_queries_however_long_the_history(
    operator_client: Client, executions: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    job = make_job(Status.RUNNING)
    for number in range(2, executions + 1):
        make_odd_execution(job, number=number, status=Outcome.INTERRUPTED, worker_id=number)
    # session, person, roles; job, trail, chosen execution, executions, workers, log
    with django_assert_num_queries(9):
        operator_client.get(f"/jobs/{job.id}/")
