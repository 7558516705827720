"""Pausing and resuming several schedules at once."""

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from accounts.models import User
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
from tests.scheduling.factories import make_schedule

BULK = "/schedules/bulk/"


def statuses() -> dict[str, str]:
    return dict(JobSchedule.objects.values_list("name", "schedule_status"))


def test_the_selected_are_paused_and_resumed(operator_client: Client) -> None:
    ids = [make_schedule(name).id for name in ("a", "b")]
    make_schedule("c")
    response = operator_client.post(BULK, {"verb": "pause", "id": ids, "next": "/schedules/?q=x"})
    assert response["Location"] == "/schedules/?q=x"
    assert statuses() == {"a": "PAUSED", "b": "PAUSED", "c": "ENABLED"}
    operator_client.post(BULK, {"verb": "resume", "id": ids})
    assert set(statuses().values()) == {ScheduleStatus.ENABLED}


def test_one_that_refuses_stops_no_other_and_says_why(
    user_client: Client, user: User, other_user: User
) -> None:
    mine, paused = make_schedule("a", owner=user), make_schedule("b", owner=user, enabled=False)
    theirs = make_schedule("c", owner=other_user)
    fields = {"verb": "pause", "id": [mine.id, paused.id, theirs.id]}
    response = user_client.post(BULK, fields)
    told = [str(message) for message in get_messages(response.wsgi_request)]
    assert told[0] == "1 schedule paused."
    assert any("pause needs ENABLED" in message for message in told)
    assert any(f"no schedule {theirs.id}" in message for message in told)
    assert statuses()["c"] == ScheduleStatus.ENABLED


@pytest.mark.parametrize(
    "fields",
    [
        {"verb": "pause"},
        {"verb": "delete", "id": ["1"]},
        {"id": ["1"]},
        {"verb": "pause", "id": ["x"]},
        {"verb": "pause", "id": ["9" * 30]},
        {"verb": "pause", "id": [str(n) for n in range(2000)]},
    ],
)
def test_what_makes_no_sense_is_refused(
    operator_client: Client, fields: dict[str, list[str]]
) -> None:
    assert operator_client.post(BULK, fields).status_code == 400


def test_an_impossible_id_is_told_as_missing(operator_client: Client) -> None:
    response = operator_client.post(BULK, {"verb": "pause", "id": [str(2**63), "0"]})
    assert response.status_code == 302
