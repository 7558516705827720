import pytest
from django.test import Client

from accounts.models import User
from audit.models import AuditEvent
from audit.vocabulary import EventType
from jobs.lifecycle import Status
from jobs.models import Job
from tests.factories import make_job

VERBS = ("cancellation", "retry", "discard", "verification")


def ask(client: Client, job: Job, noun: str, **fields: str) -> str:
    """Post, follow, and return the message that the person then reads."""
    response = client.post(f"/jobs/{job.id}/{noun}/", fields, follow=True)
    assert response.redirect_chain == [(f"/jobs/{job.id}/", 302)]
    job.refresh_from_db()
    return response.text


def test_a_waiting_job_is_cancelled_at_once_with_its_reason(operator_client: Client) -> None:
    job = make_job()
    page = ask(operator_client, job, "cancellation", reason=" wrong customer ")
    assert job.status == Status.CANCELLED
    assert "The job is cancelled." in page
    event = AuditEvent.objects.get(event_type=EventType.JOB_CANCELLED)
    assert (event.actor_label, event.metadata["reason"]) == (
        "operator@example.com",
        "wrong customer",
    )
    assert event.ip_address == "127.0.0.1"


def test_a_running_job_is_asked_to_stop(operator_client: Client) -> None:
    job = make_job(Status.RUNNING)
    page = ask(operator_client, job, "cancellation")
    assert job.status == Status.RUNNING
    assert job.cancel_requested_at is not None
    assert "Cancel requested." in page
    assert "Cancelling" in page


def test_a_dead_letter_is_retried(operator_client: Client) -> None:
    job = make_job(Status.DEAD_LETTER)
    assert "The job queues again." in ask(operator_client, job, "retry")
    assert job.status == Status.PENDING


def test_a_dead_letter_is_discarded(operator_client: Client) -> None:
    job = make_job(Status.DEAD_LETTER)
    assert "The job is discarded." in ask(operator_client, job, "discard")
    assert job.status == Status.CANCELLED


@pytest.mark.parametrize(
    ("decision", "status"),
    [
        ("confirm", Status.SUCCEEDED),
        ("repeat", Status.PENDING),
        ("abandon", Status.CANCELLED),
    ],
)
def test_a_doubtful_job_is_settled(operator_client: Client, decision: str, status: Status) -> None:
    job = make_job(Status.NEEDS_VERIFICATION)
    ask(operator_client, job, "verification", decision=decision)
    assert job.status == status


@pytest.mark.parametrize("noun", VERBS)
def test_the_wrong_state_is_a_conflict_and_changes_nothing(
    operator_client: Client, noun: str
) -> None:
    job = make_job(Status.SUCCEEDED)
    response = operator_client.post(f"/jobs/{job.id}/{noun}/", {"decision": "confirm"})
    assert response.status_code == 409
    job.refresh_from_db()
    assert job.status == Status.SUCCEEDED


@pytest.mark.parametrize("noun", VERBS)
def test_addresses_of_verbs_take_posts_only(operator_client: Client, noun: str) -> None:
    assert operator_client.get(f"/jobs/{make_job().id}/{noun}/").status_code == 405


@pytest.mark.parametrize("noun", VERBS)
def test_a_stranger_changes_nothing(client: Client, db: None, noun: str) -> None:
    job = make_job()
    assert client.post(f"/jobs/{job.id}/{noun}/").headers["Location"] == "/login/"
    job.refresh_from_db()
    assert job.status == Status.PENDING


@pytest.mark.parametrize("noun", VERBS)
def test_a_job_of_somebody_else_is_not_found(
    user_client: Client, other_user: User, noun: str
) -> None:
    job = make_job(Status.DEAD_LETTER, owner=other_user)
    response = user_client.post(f"/jobs/{job.id}/{noun}/", {"decision": "confirm"})
    assert response.status_code == 404


@pytest.mark.parametrize("reason", ["x" * 501, "a\x00b"])
def test_a_reason_that_cannot_be_kept_is_refused_with_its_name(
    operator_client: Client, reason: str
) -> None:
    response = operator_client.post(f"/jobs/{make_job().id}/cancellation/", {"reason": reason})
    assert response.status_code == 400
    assert "<code>reason</code>" in response.text


def test_a_forged_post_is_refused(operator: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator)
    job = make_job()
    response = client.post(f"/jobs/{job.id}/cancellation/")
    assert response.status_code == 403
    assert "This form is out of date" in response.text
    job.refresh_from_db()
    assert job.status == Status.PENDING
