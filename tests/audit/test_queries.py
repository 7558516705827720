"""Filtered history, and the history of one thing."""

from datetime import datetime, timedelta

import pytest
from django.db import connection

from audit import queries, recorder
from audit.models import AuditEvent
from audit.queries import SYSTEM as MACHINE
from audit.queries import Criteria
from audit.recorder import Target
from audit.vocabulary import EventType
from controlplane.actors import SYSTEM, Actor

ADA = Actor(id=3, label="ada@example.com")
STRANGER = Actor(id=None, label="anonymous")
JOB, OTHER_JOB, SCHEDULE = Target("job", 1, "a"), Target("job", 2, "b"), Target("schedule", 1, "c")


@pytest.fixture
def trail(db: None) -> list[AuditEvent]:
    events = [
        recorder.event(EventType.JOB_CREATED, JOB, actor=SYSTEM),
        recorder.event(EventType.JOB_CANCELLED, JOB, actor=ADA),
        recorder.event(EventType.JOB_CREATED, OTHER_JOB, actor=ADA),
        recorder.event(EventType.SCHEDULE_PAUSED, SCHEDULE, actor=ADA),
        recorder.event(EventType.LOGIN_FAILED, Target("user", None, "x"), actor=STRANGER),
    ]
    recorder.record_all(events)
    return events


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        (Criteria(), [4, 3, 2, 1, 0]),
        (Criteria(event_type="JOB_CREATED"), [2, 0]),
        (Criteria(actor=3), [3, 2, 1]),
        (Criteria(actor=MACHINE), [0]),
        (Criteria(target_type="job"), [2, 1, 0]),
        (Criteria(target_type="job", target_id=1), [1, 0]),
        (Criteria(event_type="JOB_CREATED", actor=3, target_type="job", target_id=2), [2]),
        (Criteria(actor=4), []),
    ],
)
def test_each_criterion_narrows(
    trail: list[AuditEvent], criteria: Criteria, expected: list[int]
) -> None:
    found = [event.pk for event in queries.history(criteria)]
    assert found == [trail[index].pk for index in expected]


def test_since_is_included_and_until_is_not(trail: list[AuditEvent]) -> None:
    moment = AuditEvent.objects.get(pk=trail[0].pk).occurred_at
    later = moment + timedelta(microseconds=1)
    assert queries.history(Criteria(since=moment, until=later)).count() == len(trail)
    assert not queries.history(Criteria(until=moment)).exists()
    assert not queries.history(Criteria(since=later)).exists()


def test_history_of_one_thing_is_told_in_the_order_of_time(trail: list[AuditEvent]) -> None:
    found = queries.history_of("job", 1)
    assert [event.event_type for event in found] == ["JOB_CREATED", "JOB_CANCELLED"]


def test_an_event_written_late_stands_where_it_occurred(db: None) -> None:
    recorder.record(EventType.JOB_SUCCEEDED, JOB, actor=SYSTEM)
    late = recorder.event(EventType.JOB_STARTED, JOB, actor=SYSTEM)
    late.occurred_at = _now() - timedelta(seconds=5)
    recorder.record_all([late])
    found = queries.history_of("job", 1)
    assert [event.event_type for event in found] == ["JOB_STARTED", "JOB_SUCCEEDED"]


def test_history_of_one_thing_shows_the_latest_of_many(db: None) -> None:
    count = queries.MAX_OF_TARGET + 5
    events = [recorder.event(EventType.JOB_REQUEUED, JOB, actor=SYSTEM) for _ in range(count)]
    recorder.record_all(events)
    found = queries.history_of("job", 1)
    assert [event.pk for event in found] == [event.pk for event in events[5:]]


def _now() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]  # type: ignore[no-any-return]
