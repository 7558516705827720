"""What buttons ask and do, beyond what `test_pages` presses: questions, arguments this once, ways
back."""

import pytest
from django.test import Client

from accounts.models import User
from jobs.models import Job
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import Firing, JobSchedule
from tests.scheduling.factories import make_schedule

ADD = "tests.sample_app.tasks.add"


def path(schedule: JobSchedule, rest: str) -> str:
    return f"/schedules/{schedule.id}/{rest}"


def test_a_question_is_a_page_and_the_inside_of_a_dialog(operator_client: Client) -> None:
    schedule = make_schedule()
    place = path(schedule, "question/delete/?next=/schedules/%3Fq%3Dn")
    page = operator_client.get(place).text
    assert "<html" in page and "Delete this schedule?" in page and "nightly" in page
    part = operator_client.get(place, headers={"HX-Request": "true", "HX-Target": "ask"}).text
    assert part.lstrip().startswith("<form")
    assert 'value="/schedules/?q=n"' in part


@pytest.mark.parametrize("verb", ["resume", "restore", "fly", "restart-everything"])
def test_a_question_that_does_not_arise_is_a_conflict(operator_client: Client, verb: str) -> None:
    assert operator_client.get(path(make_schedule(), f"question/{verb}/")).status_code == 409


def test_others_schedules_have_no_questions(user_client: Client, other_user: User) -> None:
    schedule = make_schedule(owner=other_user)
    assert user_client.get(path(schedule, "question/delete/")).status_code == 404


def test_a_run_takes_other_arguments_once(operator_client: Client) -> None:
    schedule = make_schedule(task=ADD, kwargs={"a": 1, "b": 2})
    fields = {"kwargs": '{"b": 40}', "reason": "once more"}
    assert operator_client.post(path(schedule, "run/"), fields).status_code == 302
    assert Job.objects.get().kwargs == {"a": 1, "b": 40}
    assert Firing.objects.get().reason == "once more"
    schedule.refresh_from_db()
    assert schedule.kwargs == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("kwargs", "told"),
    [("{", "no JSON"), ("[1]", "a JSON object"), ('{"c": 1}', "c"), ("[" * 9999, "no JSON")],
)
def test_arguments_that_do_not_fit_are_asked_for_again(
    operator_client: Client, kwargs: str, told: str
) -> None:
    schedule = make_schedule(task=ADD, kwargs={"a": 1})
    response = operator_client.post(path(schedule, "run/"), {"kwargs": kwargs, "reason": "why"})
    assert response.status_code == 400
    assert told in response.text and 'value="why"' in response.text
    assert not Job.objects.exists()


def test_a_deletion_leads_to_the_list_and_not_to_what_is_gone(operator_client: Client) -> None:
    for back, place in (
        ("/schedules/{}/", "/schedules/"),
        ("/schedules/{}/history/", "/schedules/"),
        ("", "/schedules/"),
        ("/schedules/?q=x", "/schedules/?q=x"),
    ):
        schedule = make_schedule()
        fields = {"next": back.format(schedule.id)}
        assert operator_client.post(path(schedule, "deletion/"), fields)["Location"] == place


def test_an_answer_leads_back_to_where_it_was_asked(operator_client: Client) -> None:
    schedule = make_schedule()
    back = "/schedules/?status=ENABLED"
    response = operator_client.post(path(schedule, "pause/"), {"next": back})
    assert response["Location"] == back
    response = operator_client.post(path(schedule, "resumption/"), {"next": "//evil.example/x"})
    assert response["Location"] == f"/schedules/{schedule.id}/"
    schedule.refresh_from_db()
    assert schedule.schedule_status == ScheduleStatus.ENABLED
