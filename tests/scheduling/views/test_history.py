"""PM7: the history of a schedule."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from accounts.models import User
from jobs.lifecycle import Status
from jobs.models import JobExecution
from scheduling.models import JobSchedule
from tests.factories import make_job
from tests.scheduling.factories import make_schedule

START = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)


def run_at(schedule: JobSchedule, start: datetime, milliseconds: int) -> int:
    """The id of a job of the schedule that ran then, for so long."""
    job = make_job(Status.SUCCEEDED, trigger="schedule", trigger_id=schedule.id)
    end = start + timedelta(milliseconds=milliseconds)
    JobExecution.objects.filter(job=job).update(started_at=start, finished_at=end)
    return job.id


def history(client: Client, schedule: JobSchedule, query: str = "") -> list[int]:
    response = client.get(f"/schedules/{schedule.id}/history/?{query}")
    assert response.status_code == 200
    return [run.execution.job_id for run in response.context["runs"]]


def test_start_end_duration_and_outcome_are_shown(operator_client: Client) -> None:
    schedule = make_schedule()
    job = run_at(schedule, START, 61_234)
    page = operator_client.get(f"/schedules/{schedule.id}/history/").text
    for shown in (
        "2026-11-30 08:00:00",
        "2026-11-30 08:01:01",
        "61,234",
        "Succeeded",
        f"/jobs/{job}/",
    ):
        assert shown in page
    assert 'datetime="2026-11-30T08:01:01.234Z"' in page


def test_bounds_sorting_and_pages_are_the_servers(operator_client: Client) -> None:
    schedule = make_schedule()
    ids = [run_at(schedule, START + timedelta(hours=n), 1000 * (5 - n)) for n in range(4)]
    assert history(operator_client, schedule) == ids[::-1]
    assert history(operator_client, schedule, "start_time=10:00") == ids[:1:-1]
    assert history(operator_client, schedule, "end_time=09:00&end_date=2026-11-30") == ids[1::-1]
    assert history(operator_client, schedule, "sort=duration") == ids[::-1]
    assert history(operator_client, schedule, "sort=start&page_size=3") == ids[:3]
    first = operator_client.get(f"/schedules/{schedule.id}/history/?sort=start&page_size=3")
    position = first.context["page"].next
    assert history(operator_client, schedule, f"sort=start&page_size=3&from={position}") == ids[3:]


@pytest.mark.parametrize("query", ["start_date=x", "end_time=x", "sort=x", "from=x", "outcome=x"])
def test_bad_bounds_are_refused_by_name(operator_client: Client, query: str) -> None:
    response = operator_client.get(f"/schedules/{make_schedule().id}/history/?{query}")
    assert response.status_code == 400
    assert query.partition("=")[0] in response.text


def test_formats_come_from_settings(operator_client: Client, settings: object) -> None:
    """PM9."""
    chosen = {"datetime_format": "%d/%m/%Y %H:%M:%S.%L"}
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | chosen  # type: ignore[attr-defined]
    schedule = make_schedule()
    run_at(schedule, START, 234)
    page = operator_client.get(f"/schedules/{schedule.id}/history/").text
    assert "30/11/2026 08:00:00.234" in page
    assert 'data-local="%d/%m/%Y %H:%M:%S.%L"' in page


def test_others_histories_look_as_if_they_did_not_exist(
    user_client: Client, other_user: User
) -> None:
    schedule = make_schedule(owner=other_user)
    assert user_client.get(f"/schedules/{schedule.id}/history/").status_code == 404


def test_the_same_queries_however_long(
    operator_client: Client, django_assert_max_num_queries: object
) -> None:
    schedule = make_schedule()
    for number in range(30):
        run_at(schedule, START, number)
    with django_assert_max_num_queries(7):  # type: ignore[operator]
        assert len(history(operator_client, schedule)) == 30
