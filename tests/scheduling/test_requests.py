"""The job a schedule asks for."""

from datetime import timedelta

import pytest

from scheduling.lifecycle import OverlapPolicy
from scheduling.requests import job_request, next_turn, own_turn
from tests.scheduling.factories import NINE, make_schedule

HOUR = timedelta(hours=1)


@pytest.mark.django_db
def test_what_the_schedule_leaves_open_is_left_to_the_task() -> None:
    schedule = make_schedule()
    request = job_request(schedule)
    assert (request.queue, request.priority, request.max_attempts) == (None, None, None)
    assert request.overlap_key == f"schedule:{schedule.id}"


@pytest.mark.django_db
def test_allowed_overlap_has_no_key() -> None:
    assert job_request(make_schedule(overlap_policy=OverlapPolicy.ALLOW)).overlap_key is None


@pytest.mark.django_db
def test_jitter_depends_on_the_time_alone_and_keeps_within_its_bound() -> None:
    schedule = make_schedule(jitter_seconds=10)
    starts = set()
    for minute in range(60):
        nominal = NINE + timedelta(minutes=minute)
        start = job_request(schedule, nominal).run_after
        assert start == job_request(schedule, nominal).run_after
        assert start is not None and timedelta(0) <= start - nominal <= timedelta(seconds=10)
        starts.add(start - nominal)
    assert len(starts) > 5
    assert job_request(schedule).run_after is None
    assert job_request(make_schedule("other"), NINE).run_after is None


@pytest.mark.django_db
def test_places_differ_by_what_may_wait() -> None:
    schedule = make_schedule(overlap_policy=OverlapPolicy.BUFFER_ONE)
    key = f"schedule:{schedule.id}"
    assert next_turn(schedule, NINE).place == next_turn(schedule, NINE + HOUR).place
    places = {own_turn(schedule, NINE + i * HOUR, "due").place for i in range(3)}
    places |= {own_turn(schedule, NINE, "backfill").place}
    assert len(places) == 4
    assert all(place.startswith(f"{key}:") and len(place) <= 100 for place in places)
    assert not next_turn(schedule, NINE).cancels
    schedule.overlap_policy = OverlapPolicy.CANCEL_RUNNING
    assert next_turn(schedule, NINE).cancels
