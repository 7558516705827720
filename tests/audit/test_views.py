"""The audit page: who may read it, what it shows, and that no query string breaks it."""

import pytest
from django.test import Client

from accounts.models import User
from audit import recorder
from audit.models import AuditEvent
from audit.recorder import Target
from audit.vocabulary import EventType
from controlplane.actors import SYSTEM, Actor

URL = "/audit/"


def record_jobs(count: int) -> list[int]:
    events = [
        recorder.event(EventType.JOB_CREATED, Target("job", n, f"task {n}"), actor=SYSTEM)
        for n in range(1, count + 1)
    ]
    recorder.record_all(events)
    return [event.pk for event in events]


def test_operator_and_admin_read_the_trail(operator_client: Client, admin_client: Client) -> None:
    record_jobs(1)
    for client in (operator_client, admin_client):
        page = client.get(URL)
        assert page.status_code == 200
        assert "JOB_CREATED" in page.text
        assert "task 1" in page.text
        assert "system" in page.text


def test_others_are_refused_and_the_refusal_is_recorded(user: User, user_client: Client) -> None:
    record_jobs(1)
    page = user_client.get(URL + "?actor=system", REMOTE_ADDR="192.0.2.7")
    assert page.status_code == 403
    assert "JOB_CREATED" not in page.text
    event = AuditEvent.objects.get(event_type="ACCESS_DENIED")
    assert (event.actor_id, event.actor_label) == (user.pk, user.email)
    assert (event.target_type, event.target_label, event.ip_address) == ("page", URL, "192.0.2.7")
    assert event.metadata == {"method": "GET", "code": "PERMISSION_DENIED"}


def test_a_person_without_a_role_is_refused(nobody: User) -> None:
    client = Client()
    client.force_login(nobody)
    assert client.get(URL).status_code == 403


def test_a_stranger_is_sent_to_the_login_and_back(client: Client, db: None) -> None:
    page = client.get(URL)
    assert page.status_code == 302
    assert page.headers["Location"] == "/login/?next=/audit/"


def test_it_cannot_be_posted_to(operator_client: Client) -> None:
    assert operator_client.post(URL).status_code == 405


def test_filters_narrow_the_list_and_stay_in_the_form(operator_client: Client) -> None:
    record_jobs(3)
    page = operator_client.get(URL, {"target_type": "job", "target_id": "2"})
    assert "task 2" in page.text
    assert "task 1" not in page.text
    assert 'value="2"' in page.text


def test_older_and_newer_pages_lead_through_the_trail(operator_client: Client) -> None:
    ids = record_jobs(5)
    first = operator_client.get(URL, {"page_size": "2", "target_type": "job"})
    assert [event.pk for event in first.context["page"].items] == ids[:2:-1]
    assert f"before={ids[3]}" in first.text
    assert "target_type=job" in first.text
    second = operator_client.get(f"{URL}?page_size=2&target_type=job&before={ids[3]}")
    assert [event.pk for event in second.context["page"].items] == [ids[2], ids[1]]


def test_an_empty_trail_says_so(operator_client: Client) -> None:
    assert "No events" in operator_client.get(URL, {"target_type": "job"}).text


@pytest.mark.parametrize(
    "query",
    [
        "event_type=JOB_VANISHED",
        "actor=nobody%40example.com",
        "actor=%00",
        "actor=%ED%A0%80",
        "target_id=99999999999999999999",
        "since=never",
        "until=0001-01-01T00:00&since=0001-01-01T00:00",
        "before=x",
        "before=99999999999999999999",
        "before=1&after=1",
        "page_size=100000",
    ],
)
def test_a_bad_query_string_is_answered_with_400(operator_client: Client, query: str) -> None:
    record_jobs(1)
    page = operator_client.get(f"{URL}?{query}")
    assert page.status_code == 400
    assert "task 1" not in page.text


@pytest.mark.parametrize(
    "query",
    [
        "unknown=1",
        "before=0",
        "after=9223372036854775807",
        "since=0001-01-01T00:00%2B14:00",
        "until=9999-12-31T23:59-14:00",
        "target_id=9223372036854775807",
        "actor=9223372036854775807",
        "target_type=page&target_id=1&target_type=",
    ],
)
def test_extreme_values_are_no_error(operator_client: Client, query: str) -> None:
    assert operator_client.get(f"{URL}?{query}").status_code == 200


def test_what_people_typed_is_shown_as_text(operator_client: Client) -> None:
    mallory = Actor(id=9, label="<script>alert(1)</script>")
    target = Target("user", 9, "<b>bold</b>")
    facts = {"reason": "<i>x</i>", "items": {"nested": "<u>"}}
    recorder.record(EventType.USER_CREATED, target, actor=mallory, metadata=facts)
    page = operator_client.get(URL)
    for raw in ("<script>alert", "<b>bold", "<i>x", "<u>"):
        assert raw not in page.text
    assert "&lt;b&gt;bold" in page.text


def test_the_number_of_queries_does_not_grow_with_the_list(
    operator_client: Client, django_assert_max_num_queries: object
) -> None:
    record_jobs(40)
    with django_assert_max_num_queries(6):  # type: ignore[operator]
        assert operator_client.get(URL).status_code == 200
