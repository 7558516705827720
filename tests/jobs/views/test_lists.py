import re
from html import unescape

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from jobs import queries
from jobs.lifecycle import Status
from jobs.models import Trigger
from jobs.templatetags.jobs import STATES
from tests.factories import make_job, make_jobs


def tab(page: str, word: str) -> str:
    """The text of the tab with this word, its count included."""
    found = re.search(rf"</svg>({word}.*?)</a>", page, re.DOTALL)
    assert found
    return " ".join(re.sub(r"<[^>]+>", " ", found[1]).split())


def ids(page: str) -> list[int]:
    return [int(id_) for id_ in re.findall(r'class="quiet-link" href="/jobs/(\d+)/"', page)]


@pytest.mark.django_db
def test_a_stranger_is_sent_to_the_login(client: Client) -> None:
    response = client.get("/jobs/")
    assert (response.status_code, response.headers["Location"]) == (302, "/login/?next=/jobs/")


def test_every_state_has_its_badge_in_the_list(operator_client: Client) -> None:
    for status in Status:
        make_job(status)
    page = operator_client.get("/jobs/").text
    for status in Status:
        look = STATES[status]
        badge = rf'data-tone="{look.tone}">.*icons\.svg#{look.shape}.*{look.word}</span>'
        assert re.search(badge, page), status


def test_a_row_tells_what_one_wants_to_know(operator_client: Client, user: User) -> None:
    job = make_job(
        Status.FAILED,
        task="billing.tasks.send_invoice",
        queue="mail",
        priority=7,
        trigger=Trigger.API,
        owner=user,
    )
    page = operator_client.get("/jobs/").text
    assert f'<a href="/jobs/{job.id}/" title="billing.tasks.send_invoice">send_invoice</a>' in page
    assert '<td data-label="Queue">mail</td>' in page
    assert ">7</td>" in page
    assert f">{job.attempts_charged}/4</td>" in page
    assert re.search(r">API\s*</td>", page)
    assert "Flaw: as asked" in page
    assert "next attempt at <time" in page


def test_a_user_sees_own_jobs_only(user: User, other_user: User, user_client: Client) -> None:
    own = make_job(owner=user)
    make_job(owner=other_user)
    assert ids(user_client.get("/jobs/").text) == [own.id]


def test_the_list_narrows_by_state_queue_and_task(operator_client: Client) -> None:
    job = make_job(Status.FAILED, task="a.tasks.send", queue="mail")
    make_job(task="a.tasks.send", queue="mail")
    make_job(Status.FAILED)
    page = operator_client.get("/jobs/?status=failed&queue=mail&task=send").text
    assert ids(page) == [job.id]
    assert 'name="status" value="FAILED"' in page


def test_tabs_keep_the_other_filters_and_drop_the_page(operator_client: Client) -> None:
    page = unescape(operator_client.get("/jobs/?queue=mail&before=99").text)
    assert 'href="?queue=mail&status=FAILED"' in page
    assert 'href="/jobs/?queue=mail"' in page


def test_tabs_show_how_many_jobs_wait_run_and_fail(
    operator_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "COUNT_LIMIT", 1)
    make_job(Status.DEAD_LETTER)
    make_jobs(2)
    page = operator_client.get("/jobs/").text
    assert tab(page, "Pending") == "Pending 1+"
    assert tab(page, "Dead letter") == "Dead letter 1"
    assert tab(page, "Running") == "Running 0"
    assert tab(page, "Succeeded") == "Succeeded"


def test_a_narrowed_list_shows_no_counts_that_would_not_fit_it(operator_client: Client) -> None:
    make_job()
    assert tab(operator_client.get("/jobs/?queue=mail").text, "Pending") == "Pending"


def test_pages_lead_to_older_and_newer_jobs(operator_client: Client) -> None:
    jobs = make_jobs(5)[::-1]
    first = unescape(operator_client.get("/jobs/?page_size=2").text)
    assert ids(first) == jobs[:2]
    assert f'href="?page_size=2&before={jobs[1]}"' in first
    second = unescape(operator_client.get(f"/jobs/?page_size=2&before={jobs[1]}").text)
    assert ids(second) == jobs[2:4]
    assert f'href="?page_size=2&after={jobs[2]}"' in second


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("status=DONE", "status"),
        ("queue=%00", "queue"),
        ("before=null", "before"),
        ("before=%ff", "before"),
        ("after=-1", "after"),
        ("page_size=1e9", "page_size"),
    ],
)
def test_a_bad_query_is_a_400_that_names_its_field(
    operator_client: Client, query: str, field: str
) -> None:
    response = operator_client.get(f"/jobs/?{query}")
    assert response.status_code == 400
    assert f"<code>{field}</code>" in response.text


def test_an_empty_list_teaches(operator_client: Client) -> None:
    assert "No jobs yet" in operator_client.get("/jobs/").text
    assert "No job matches" in operator_client.get("/jobs/?status=FAILED").text


def test_what_is_stored_is_shown_as_text(operator_client: Client) -> None:
    marker = "\"><img src=x onerror=1>'{{7*7}}"
    make_job(Status.FAILED, task=f"a.{marker}", queue=marker)
    page = operator_client.get("/jobs/").text
    assert "<img src=x" not in page
    assert "{{7*7}}" in page


@pytest.mark.parametrize("count", [2, 40])
def test_the_page_costs_the_same_number_of_queries_however_long(
    operator_client: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(count):
        make_job(Status.FAILED)
    # session, person, roles; jobs, executions; four counts
    with django_assert_num_queries(9):
        operator_client.get("/jobs/")


def test_a_job_of_a_schedule_leads_to_it(operator_client: Client) -> None:
    make_job(trigger=Trigger.SCHEDULE, trigger_id=3)
    assert '<a href="/schedules/3/">Schedule 3</a>' in operator_client.get("/jobs/").text
