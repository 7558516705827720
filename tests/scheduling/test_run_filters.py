"""PM7: four bounds, each by itself, in UTC."""

from datetime import UTC, datetime, time

import pytest

from controlplane.errors import InvalidInput
from jobs.lifecycle import Outcome, Status
from jobs.models import JobExecution
from scheduling.run_filters import RunFilter, TimeOfDay, narrowed, run_filter
from tests.factories import make_job

MORNING = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)


def test_nothing_asked_for_narrows_nothing() -> None:
    assert run_filter({"start_date": " ", "end_time": ""}) == RunFilter()
    assert not RunFilter().is_narrowed


def test_dates_and_instants_are_bounds_in_utc() -> None:
    wanted = run_filter({"start_date": "2026-11-30", "end_date": "2026-11-30"})
    assert wanted.started_from == datetime(2026, 11, 30, tzinfo=UTC)
    assert wanted.ended_before == datetime(2026, 12, 1, tzinfo=UTC)
    wanted = run_filter({"start_date": "2026-11-30T09:00+01:00", "end_date": "2026-11-30T08:00Z"})
    assert wanted.started_from == wanted.ended_before == MORNING


def test_times_of_day_are_bounds_or_windows() -> None:
    wanted = run_filter({"start_time": "08:30", "end_time": "17:00"})
    assert wanted.started_within == TimeOfDay(time(8, 30), None)
    assert wanted.ended_within == TimeOfDay(time(0), time(17, 1))
    assert run_filter({"end_time": "17:00:30"}).ended_within == TimeOfDay(time(0), time(17, 0, 31))
    assert run_filter({"end_time": "23:59"}).ended_within == TimeOfDay(time(0), None)
    window = run_filter({"start_time": "22:00-06:00"}).started_within
    assert window == TimeOfDay(time(22), time(6))
    assert run_filter({"start_time": "22:00-00:00"}).started_within == TimeOfDay(time(22), None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("start_date", "30.11.2026"),
        ("start_date", "2026-13-01"),
        ("end_date", "2026-11-30T08:00"),
        ("end_date", "9999-12-31"),
        ("start_time", "24:00"),
        ("start_time", "8:00"),
        ("end_time", "08:00-"),
        ("end_time", "noon"),
        ("outcome", "FINE"),
    ],
)
def test_a_bad_bound_is_refused_by_name(field: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=f"{field} must be") as refused:
        run_filter({field: value})
    assert refused.value.field == field


@pytest.fixture
def runs(db: None) -> dict[str, int]:
    """Runs by name: what they were at, and still running."""
    moments = {
        "morning": (MORNING, MORNING.replace(minute=5)),
        "night": (MORNING.replace(hour=23, minute=50), MORNING.replace(day=30, hour=23, minute=59)),
        "later": (MORNING.replace(month=12, day=1), MORNING.replace(month=12, day=1, minute=1)),
    }
    found = {}
    for name, (start, end) in moments.items():
        execution = JobExecution.objects.get(job=make_job(Status.SUCCEEDED))
        JobExecution.objects.filter(id=execution.id).update(started_at=start, finished_at=end)
        found[name] = execution.id
    found["running"] = JobExecution.objects.get(job=make_job(Status.RUNNING)).id
    JobExecution.objects.filter(id=found["running"]).update(started_at=MORNING)
    return found


@pytest.mark.parametrize(
    ("parameters", "names"),
    [
        ({}, "morning night later running"),
        ({"start_date": "2026-12-01"}, "later"),
        ({"end_date": "2026-11-30"}, "morning night"),
        ({"start_time": "09:00"}, "night"),
        ({"end_time": "08:05"}, "morning later"),
        ({"end_time": "08:04"}, "later"),
        ({"start_time": "23:00-09:00"}, "morning night later running"),
        ({"start_time": "08:00", "end_date": "2026-11-30", "end_time": "09:00"}, "morning"),
        ({"start_date": "2026-11-30T23:00Z"}, "night later"),
        ({"outcome": "RUNNING"}, "running"),
    ],
)
def test_each_bound_counts_by_itself(
    runs: dict[str, int], parameters: dict[str, str], names: str
) -> None:
    rows = narrowed(JobExecution.objects.all(), run_filter(parameters))
    assert {row.id for row in rows} == {runs[name] for name in names.split()}


def test_an_outcome_is_one_of_an_execution() -> None:
    assert run_filter({"outcome": "TIMED_OUT"}).outcome is Outcome.TIMED_OUT
