"""What the reader tells: news only, each once, late commits too; nothing when it is too much."""

import pytest
from django.db import transaction

from audit import recorder
from audit.models import AuditEvent
from audit.vocabulary import EventType
from controlplane.actors import SYSTEM
from controlplane.live import source
from controlplane.live.source import Source
from jobs.models import Job
from tests.factories import make_job, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _keeps_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Source, "close", lambda self: None)


def record(event: EventType, target: str = "job", id_: int = 1) -> None:
    recorder.record(event, recorder.Target(target, id_, "x"), actor=SYSTEM)


def types(reader: Source) -> list[str] | None:
    found = reader.read()
    return None if found is None else [one.event_type for one in found]


def test_what_lay_there_before_is_no_news() -> None:
    record(EventType.JOB_FAILED)
    reader = Source()
    assert types(reader) is None, "nobody knows what a viewer has seen already"
    assert types(reader) == []


def test_each_event_is_told_once_and_in_order() -> None:
    reader = Source()
    reader.read()
    record(EventType.JOB_FAILED)
    record(EventType.JOB_DEAD_LETTERED)
    assert types(reader) == ["JOB_FAILED", "JOB_DEAD_LETTERED"]
    assert types(reader) == []


def test_an_event_that_is_committed_late_is_told_although_a_newer_one_was() -> None:
    reader = Source()
    reader.read()
    record(EventType.QUEUE_PAUSED, "queue")
    newest = AuditEvent.objects.latest("id")
    assert types(reader) == ["QUEUE_PAUSED"]
    with transaction.atomic():
        AuditEvent.objects.create(
            id=newest.pk - 1, event_type=EventType.JOB_RETRIED, target_type="job", target_id=1
        )
    assert types(reader) == ["JOB_RETRIED"]


def test_too_many_at_once_are_not_told_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MANY", 3)
    reader = Source()
    reader.read()
    for _ in range(4):
        record(EventType.JOB_FAILED)
    assert types(reader) is None
    assert types(reader) == [], "and are not told later either"


def test_it_knows_whose_job_it_is_and_whose_session_ends() -> None:
    reader = Source()
    reader.read()
    owner = make_user("owner@example.com", "USER")
    job: Job = make_job(owner=owner)
    record(EventType.USER_ROLE_CHANGED, "user", owner.pk)
    told = {one.event_type: one for one in reader.read() or []}
    assert told["JOB_CREATED"].owner_id == owner.pk
    assert told["JOB_CREATED"].target_id == job.pk
    assert told["USER_ROLE_CHANGED"].ends_session_of == owner.pk
    assert told["JOB_CREATED"].ends_session_of is None
