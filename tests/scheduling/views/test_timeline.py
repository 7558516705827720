"""The next 24 hours as a page."""

from django.test import Client

from accounts.models import User
from scheduling.models import JobSchedule
from tests.scheduling.factories import make_schedule

PAGE = "/schedules/timeline/"


def test_lanes_are_drawn_and_listed(operator_client: Client) -> None:
    make_schedule("hourly one", cron="0 * * * *")
    make_schedule("twice", cron="0 4,16 * * *")
    page = operator_client.get(PAGE).text
    assert page.count('<path d="M') == 2
    assert "hourly one" in page and "<svg" in page
    assert "style=" not in page


def test_an_empty_day_says_so(operator_client: Client, user_client: Client, operator: User) -> None:
    assert "Nothing runs in the next 24 hours" in operator_client.get(PAGE).text
    make_schedule("mine", cron="0 * * * *", owner=operator)
    assert "mine" not in user_client.get(PAGE).text


def test_a_corrupt_row_breaks_nothing(operator_client: Client) -> None:
    schedule = make_schedule(cron="* * * * *")
    JobSchedule.objects.filter(id=schedule.id).update(timezone="Etc/Unknown")
    assert operator_client.get(PAGE).status_code == 200
