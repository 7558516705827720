"""The page of one schedule: what it shows, to whom, and what its buttons do."""

import pytest
from django.test import Client

from accounts.models import User
from controlplane.actors import Actor
from jobs.models import Job
from scheduling.actions import delete_schedule
from scheduling.lifecycle import ScheduleStatus
from scheduling.materialise import fire_due
from scheduling.models import JobSchedule
from tests.scheduling.factories import make_due, make_schedule

LIST = "/schedules/"


def show(client: Client, schedule: JobSchedule) -> str:
    response = client.get(f"{LIST}{schedule.id}/")
    assert response.status_code == 200
    return response.text


def post(client: Client, schedule: JobSchedule, noun: str, **fields: str) -> int:
    return client.post(f"{LIST}{schedule.id}/{noun}/", fields).status_code


def status_of(schedule: JobSchedule) -> str:
    schedule.refresh_from_db()
    return schedule.schedule_status


def test_the_detail_shows_arguments_next_runs_firings_and_the_trail(
    operator_client: Client, user_client: Client, user: User
) -> None:
    schedule = make_schedule(
        owner=user,
        task="tests.sample_app.tasks.add",
        args=[40],
        kwargs={"b": 2},
        cron="30 4 * * *",
        timezone="Asia/Tokyo",
    )
    make_due(schedule)
    fire_due(10)
    page = show(operator_client, schedule)
    for shown in ("At 04:30", "Asia/Tokyo", "04:30:00", "19:30:00", "40", "Enqueued"):
        assert shown in page
    assert "Schedule fired" in page
    assert "Schedule fired" not in show(user_client, schedule)


def test_sensitive_arguments_are_masked(operator_client: Client) -> None:
    schedule = make_schedule(
        task="tests.sample_app.tasks.echo", kwargs={"value": {"password": "hunter2 of old"}}
    )
    assert "hunter2 of old" not in show(operator_client, schedule)


def test_others_schedules_look_as_if_they_did_not_exist(
    user_client: Client, other_user: User, user: User
) -> None:
    mine, other = make_schedule("mine", owner=user), make_schedule("theirs", owner=other_user)
    page = user_client.get(LIST).text
    assert "mine" in page and "theirs" not in page
    assert show(user_client, mine)
    assert user_client.get(f"{LIST}{other.id}/").status_code == 404
    for noun in ("run", "pause", "resumption", "restoration", "clearance", "deletion"):
        assert post(user_client, other, noun) == 404
    assert status_of(other) == ScheduleStatus.ENABLED


@pytest.mark.parametrize("id_", [0, 999_999, 2**63, int("9" * 300)])
def test_an_impossible_id_is_not_found(operator_client: Client, id_: int) -> None:
    assert operator_client.get(f"{LIST}{id_}/").status_code == 404
    assert operator_client.post(f"{LIST}{id_}/pause/").status_code == 404


def test_a_deleted_schedule_is_gone(operator_client: Client) -> None:
    schedule = make_schedule()
    assert post(operator_client, schedule, "deletion") == 302
    assert operator_client.get(f"{LIST}{schedule.id}/").status_code == 404
    assert "nightly" not in operator_client.get(LIST).text


def test_the_buttons_do_what_they_say(operator_client: Client) -> None:
    schedule = make_schedule()
    assert post(operator_client, schedule, "pause", reason="moving house") == 302
    assert status_of(schedule) == ScheduleStatus.PAUSED
    assert post(operator_client, schedule, "resumption") == 302
    assert status_of(schedule) == ScheduleStatus.ENABLED
    assert post(operator_client, schedule, "run") == 302
    assert Job.objects.get().trigger_id == schedule.id
    assert post(operator_client, schedule, "run") == 409
    assert post(operator_client, schedule, "clearance") == 302
    assert status_of(schedule) == ScheduleStatus.UNSCHEDULED
    assert post(operator_client, schedule, "resumption") == 409


def test_a_button_is_no_link(operator_client: Client) -> None:
    schedule = make_schedule()
    assert operator_client.get(f"{LIST}{schedule.id}/run/").status_code == 405
    assert not Job.objects.exists()


def test_a_stranger_is_sent_to_the_login(client: Client, db: None) -> None:
    assert client.get(LIST).status_code == 302
    assert client.post(f"{LIST}1/run/").status_code == 302


def test_nobody_without_a_role_is_shown_or_allowed_anything(
    client: Client, nobody: User, db: None
) -> None:
    client.force_login(nobody)
    schedule = make_schedule()
    assert "nightly" not in client.get(LIST).text
    assert post(client, schedule, "run") in {403, 404}


@pytest.mark.parametrize(
    "corruption",
    [
        {"cron": "99 * * * *"},
        {"timezone": "Etc/Unknown"},
        {"args": {"a": 1}, "kwargs": [1]},
        {"task": "gone.away"},
    ],
)
def test_a_corrupt_row_breaks_no_page(
    operator_client: Client, corruption: dict[str, object]
) -> None:
    schedule = make_schedule()
    JobSchedule.objects.filter(id=schedule.id).update(**corruption)
    assert operator_client.get(LIST).status_code == 200
    assert show(operator_client, schedule)


def test_deleting_twice_is_not_found(operator_client: Client, system: Actor) -> None:
    schedule = make_schedule()
    delete_schedule(schedule_id=schedule.id, actor=system)
    assert post(operator_client, schedule, "deletion") == 404
