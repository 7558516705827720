"""What holds for every view of the API."""

import pytest

from accounts.models import User
from audit.models import AuditEvent
from tests.api_client import ApiClient, api_for


def test_nothing_is_cached_anywhere(user: User) -> None:
    assert api_for(user).get("/jobs").headers["Cache-Control"] == "no-store"
    assert ApiClient().get("/jobs").headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/jobs?stauts=FAILED", "/tasks?x=1", "/jobs/stats?x="])
def test_a_parameter_that_nobody_reads_is_refused(user: User, path: str) -> None:
    answer = api_for(user).get(path)
    assert (answer.status, answer.code) == (400, "INVALID_INPUT")


def test_a_change_takes_no_parameters(user: User) -> None:
    answer = api_for(user).post("/jobs?task=x", {"task": "tests.sample_app.tasks.noop"})
    assert (answer.status, answer.body["field"]) == (400, "task")


def test_a_member_that_nobody_reads_is_refused(user: User) -> None:
    answer = api_for(user).post("/jobs", {"task": "tests.sample_app.tasks.noop", "status": "X"})
    assert (answer.status, answer.body["field"]) == (400, "status")


def test_what_was_not_allowed_is_recorded(user: User) -> None:
    assert api_for(user).get("/users").code == "PERMISSION_DENIED"
    event = AuditEvent.objects.get(event_type="ACCESS_DENIED")
    assert (event.actor_id, event.target_label) == (user.pk, "/api/v1/users")
    assert event.metadata == {"method": "GET", "code": "PERMISSION_DENIED"}
