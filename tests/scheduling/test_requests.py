"""The job a schedule asks for."""

import pytest

from scheduling.lifecycle import OverlapPolicy
from scheduling.requests import job_request
from tests.scheduling.factories import make_schedule


@pytest.mark.django_db
def test_what_the_schedule_leaves_open_is_left_to_the_task() -> None:
    schedule = make_schedule()
    request = job_request(schedule)
    assert (request.queue, request.priority, request.max_attempts) == (None, None, None)
    assert request.overlap_key == f"schedule:{schedule.id}"


@pytest.mark.django_db
def test_allowed_overlap_has_no_key() -> None:
    assert job_request(make_schedule(overlap_policy=OverlapPolicy.ALLOW)).overlap_key is None
