"""The words of the audit trail."""

from audit.models import AuditEvent
from audit.vocabulary import ROUTINE, EventType


def test_every_event_is_its_own_name_and_fits_its_column() -> None:
    limit = AuditEvent._meta.get_field("event_type").max_length or 0
    for event in EventType:
        assert event.value == event.name
        assert len(event.value) <= limit


def test_routine_events_are_those_of_a_job_that_just_works() -> None:
    assert [str(event) for event in ROUTINE] == ["JOB_CREATED", "JOB_STARTED", "JOB_SUCCEEDED"]
