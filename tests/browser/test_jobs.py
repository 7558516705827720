"""What people do with jobs, named by what they want."""

import re

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from jobs.actions.cancel import cancel_job
from jobs.lifecycle import Status
from jobs.models import JobExecution
from tests.browser.conftest import OpenAs
from tests.conftest import actor_for
from tests.factories import make_job, make_jobs, succeed
from tests.waiting import stays

pytestmark = pytest.mark.browser

#: A region looks again every two seconds; this leaves it a second look on a slow machine.
PATIENCE = 10_000


def badge(page: Page, word: str) -> None:
    """Expects this state in the head of a job's page."""
    expect(page.locator(".page__head .badge")).to_have_text(word, timeout=PATIENCE)


def test_find_why_a_job_failed_and_retry_it(open_as: OpenAs, operator: User) -> None:
    make_jobs(3)
    job = make_job(Status.DEAD_LETTER, task="billing.tasks.send_invoice")
    JobExecution.objects.filter(job=job).update(traceback="the line at fault")
    page = open_as(operator)
    page.get_by_role("link", name=re.compile("^Dead letter")).click()
    page.get_by_role("link", name="send_invoice").click()
    badge(page, "Dead letter")
    expect(page.get_by_text("as asked").first).to_be_visible()
    page.get_by_text("Traceback", exact=True).click()
    expect(page.get_by_text("the line at fault")).to_be_visible()
    page.get_by_role("button", name="Retry", exact=True).click()
    page.get_by_role("dialog").get_by_label("Reason").fill("the gateway is back")
    page.get_by_role("button", name="Retry the job").click()
    expect(page.get_by_role("status")).to_have_text("The job queues again.")
    badge(page, "Pending")
    expect(page.get_by_text("the gateway is back")).to_be_visible()


def test_find_the_jobs_of_one_queue(open_as: OpenAs, operator: User) -> None:
    job = make_job(queue="mail")
    make_jobs(2)
    page = open_as(operator)
    expect(page.locator("tbody tr")).to_have_count(3)
    page.get_by_label("Queue").fill("mail")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.get_by_role("link", name=str(job.id), exact=True)).to_be_visible()


def test_change_ones_mind_then_cancel_a_waiting_job(open_as: OpenAs, operator: User) -> None:
    page = open_as(operator, f"/jobs/{make_job().id}/")
    page.get_by_role("button", name="Cancel", exact=True).click()
    page.get_by_role("button", name="Keep as it is").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    badge(page, "Pending")
    page.get_by_role("button", name="Cancel", exact=True).click()
    page.get_by_role("button", name="Cancel the job").click()
    badge(page, "Cancelled")


def test_cancel_a_job_without_any_script(open_as: OpenAs, user: User) -> None:
    job = make_job(Status.RUNNING, owner=user)
    page = open_as(user, f"/jobs/{job.id}/", java_script_enabled=False)
    page.get_by_role("button", name="Cancel", exact=True).click()
    page.get_by_role("button", name="Cancel the job").click()
    badge(page, "Cancelling")
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_have_count(0)


def test_watch_a_job_come_to_its_end(open_as: OpenAs, operator: User) -> None:
    job = make_job(Status.RUNNING)
    page = open_as(operator, f"/jobs/{job.id}/")
    badge(page, "Running")
    succeed(JobExecution.objects.get(job=job), {"sent": 12})
    badge(page, "Succeeded")
    expect(page.get_by_text('"sent": 12')).to_be_visible()
    expect(page.locator('[hx-trigger*="every"]')).to_have_count(0)


def test_see_a_new_job_appear_in_two_open_windows(open_as: OpenAs, operator: User) -> None:
    first, second = (open_as(operator, "/jobs/?status=PENDING") for _ in range(2))
    job = make_job()
    for page in (first, second):
        expect(page.get_by_role("link", name="noop")).to_be_visible()
    cancel_job(job_id=job.pk, actor=actor_for(operator))
    for page in (first, second):
        expect(page.get_by_role("link", name="noop")).to_have_count(0)


def test_nothing_moves_while_a_question_is_open(open_as: OpenAs, operator: User) -> None:
    job = make_job(Status.RUNNING)
    page = open_as(operator, f"/jobs/{job.id}/")
    page.get_by_role("button", name="Cancel", exact=True).click()
    succeed(JobExecution.objects.get(job=job))
    stays(page.get_by_role("dialog").is_visible, seconds=3, what="the open question")
    page.keyboard.press("Escape")
    badge(page, "Succeeded")


def test_read_the_jobs_on_a_phone(open_as: OpenAs, operator: User) -> None:
    job = make_job(Status.DEAD_LETTER, task=f"billing.tasks.{'long_' * 12}name")
    phone = {"width": 390, "height": 844}
    page = open_as(operator, viewport=phone)
    for path in ("/jobs/", f"/jobs/{job.id}/"):
        page.goto(path)
        expect(page.locator("main h1")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= phone["width"], path
