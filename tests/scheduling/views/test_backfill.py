"""Running a schedule for a past range."""

import pytest
from django.test import Client

from accounts.models import User
from jobs.models import Job
from scheduling.models import Firing, JobSchedule
from tests.scheduling.factories import make_schedule

RANGE = {"since": "2026-03-07T00:00", "until": "2026-03-10T00:00", "reason": "lost a disk"}


@pytest.fixture
def schedule(db: None) -> JobSchedule:
    return make_schedule(cron="30 2 * * *", timezone="America/New_York", overlap_policy="allow")


def place(schedule: JobSchedule) -> str:
    return f"/schedules/{schedule.id}/backfill/"


def test_the_times_are_listed_first_with_what_is_special(
    operator_client: Client, schedule: JobSchedule
) -> None:
    page = operator_client.post(place(schedule), RANGE)
    assert [run.wall.hour for run in page.context["runs"]] == [2, 3, 2]
    assert "which does not exist on this day" in page.text
    assert not Job.objects.exists()


def test_they_are_then_run_and_not_twice(operator_client: Client, schedule: JobSchedule) -> None:
    assert operator_client.post(place(schedule), RANGE | {"run": "1"}).status_code == 302
    assert Job.objects.count() == Firing.objects.filter(kind="backfill").count() == 3
    page = operator_client.post(place(schedule), RANGE)
    assert "No time of the schedule lies in this range" in page.text


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "since"),
        (RANGE | {"since": "x"}, "since"),
        (RANGE | {"until": "2099-01-01T00:00"}, "until"),
        (RANGE | {"since": "2026-03-08T02:30"}, "since"),
        (RANGE | {"since": "1990-01-01T00:00"}, "until"),
        (RANGE | {"reason": "x" * 201}, "reason"),
    ],
)
def test_a_range_without_sense_is_an_error_of_its_field(
    operator_client: Client, schedule: JobSchedule, fields: dict[str, str], field: str
) -> None:
    response = operator_client.post(place(schedule), fields)
    assert response.status_code == 400
    assert response.context["form"].errors[field]
    assert not Job.objects.exists()


def test_others_schedules_cannot_be_backfilled(user_client: Client, other_user: User) -> None:
    assert user_client.post(place(make_schedule(owner=other_user)), RANGE).status_code == 404


def test_without_times_it_is_a_conflict(operator_client: Client) -> None:
    assert operator_client.post(place(make_schedule(cron="")), RANGE).status_code == 409
