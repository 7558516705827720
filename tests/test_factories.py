"""The factories reach each state by the product's own doors, with the trail that belongs to it."""

import pytest

from audit.models import AuditEvent
from jobs.lifecycle import Outcome, Status
from jobs.models import Job
from tests.factories import make_job, make_jobs

EVENTS = {
    Status.PENDING: [],
    Status.SCHEDULED: [],
    Status.BLOCKED: ["JOB_BLOCKED"],
    Status.RUNNING: ["JOB_STARTED"],
    Status.SUCCEEDED: ["JOB_STARTED", "JOB_SUCCEEDED"],
    Status.FAILED: ["JOB_STARTED", "JOB_FAILED"],
    Status.CANCELLED: ["JOB_CANCELLED"],
    Status.DEAD_LETTER: ["JOB_STARTED", "JOB_FAILED", "JOB_DEAD_LETTERED"],
    Status.NEEDS_VERIFICATION: ["JOB_STARTED", "JOB_NEEDS_VERIFICATION"],
}


@pytest.mark.django_db
@pytest.mark.parametrize("status", Status)
def test_a_job_gets_to_each_state_and_the_trail_says_how(status: Status) -> None:
    job = make_job(status)
    assert job.status == status
    events = AuditEvent.objects.filter(target_type="job", target_id=job.pk).order_by("id")
    assert list(events.values_list("event_type", flat=True)) == ["JOB_CREATED", *EVENTS[status]]


@pytest.mark.django_db
def test_only_this_job_is_claimed_whatever_else_waits() -> None:
    make_jobs(3, priority=100)
    running = make_job("RUNNING")
    assert running.queue == "default"
    assert running.executions.get().status == Outcome.RUNNING
    assert Job.objects.filter(status=Status.PENDING).count() == 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("time", ["first", "second"])
def test_tables_are_empty_after_a_test_that_committed(time: str) -> None:
    assert not AuditEvent.objects.exists(), time
    make_job("SUCCEEDED")
