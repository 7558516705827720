"""The only writer of the audit trail."""

import pytest
from pytest_django import DjangoAssertNumQueries

from audit import recorder
from audit.models import AuditEvent
from audit.recorder import Target
from audit.vocabulary import EventType
from controlplane.actors import SYSTEM, Actor, Origin

TARGET = Target("job", 7, "tasks.send")


def test_an_event_keeps_who_what_and_whence(db: None) -> None:
    origin = Origin(ip="2001:db8::1", user_agent="curl/8", request_id="abc")
    actor = Actor(id=3, label="ada@example.com", origin=origin)
    recorder.record(EventType.JOB_CANCELLED, TARGET, actor=actor, metadata={"reason": "late"})
    event = AuditEvent.objects.get()
    assert (event.event_type, event.target_type, event.target_id) == ("JOB_CANCELLED", "job", 7)
    assert (event.target_label, event.metadata) == ("tasks.send", {"reason": "late"})
    assert (event.actor_id, event.actor_name) == (3, "ada@example.com")
    assert (event.ip_address, event.user_agent, event.request_id) == (
        "2001:db8::1",
        "curl/8",
        "abc",
    )


def test_the_machine_is_spelled_out(db: None) -> None:
    recorder.record(EventType.JOB_CREATED, TARGET, actor=SYSTEM)
    event = AuditEvent.objects.get()
    assert (event.actor_id, event.actor_label, event.actor_name) == (None, "", "system")


def test_a_stranger_is_not_the_machine(db: None) -> None:
    recorder.record(EventType.LOGIN_FAILED, TARGET, actor=Actor(id=None, label="anonymous"))
    assert AuditEvent.objects.get().actor_name == "anonymous"


def test_an_unknown_event_is_refused(db: None) -> None:
    with pytest.raises(ValueError, match="JOB_VANISHED"):
        recorder.record("JOB_VANISHED", TARGET, actor=SYSTEM)  # type: ignore[arg-type]
    assert not AuditEvent.objects.exists()


def test_text_that_the_database_cannot_hold_is_made_storable(db: None) -> None:
    bad = "a\x00b\ud800" + "c" * 500
    actor = Actor(id=1, label=bad, origin=Origin(user_agent=bad, request_id=bad))
    target = Target("job", 1, bad)
    recorder.record(EventType.JOB_CANCELLED, target, actor=actor, metadata={"reason": bad})
    event = AuditEvent.objects.get()
    assert event.target_label == "a\ufffdb?" + "c" * 251
    assert event.metadata["reason"].startswith("a\ufffdb?")
    assert len(event.actor_label) == 150


def test_many_events_take_one_statement(
    db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    events = [recorder.event(EventType.JOB_CREATED, TARGET, actor=SYSTEM) for _ in range(50)]
    with django_assert_num_queries(1):
        recorder.record_all(events)
    assert len({event.pk for event in events}) == 50
