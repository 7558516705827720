"""What retry, discard and verify share; each of them is tested beside this."""

import pytest

from controlplane.actors import SYSTEM
from jobs import lifecycle
from jobs.actions.transition import facts, move_job, target
from jobs.errors import CannotRetry, InvalidArguments
from jobs.lifecycle import Status
from jobs.models import Job
from tests.factories import make_job
from tests.jobs.reading import events, trail

pytestmark = pytest.mark.django_db


def test_facts_hold_a_reason_only_when_one_was_given() -> None:
    assert facts("") == {}
    assert facts("because", decision="repeat") == {"decision": "repeat", "reason": "because"}
    assert facts("x" * 500) == {"reason": "x" * 500}
    with pytest.raises(InvalidArguments, match="at most 500"):
        facts("x" * 501)


def test_the_trail_names_a_job_by_its_task() -> None:
    job = Job(id=7, task="app.tasks.t")
    assert target(job) == ("job", 7, "app.tasks.t")


def test_a_move_and_its_record_commit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    job = make_job(Status.DEAD_LETTER)

    def fail(*args: object, **kwargs: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as broken, pytest.raises(ZeroDivisionError):
        broken.setattr("audit.recorder.record", fail)
        move_job(
            lifecycle.RETRY, job_id=job.id, actor=SYSTEM, reason="", refusal=CannotRetry, columns={}
        )
    assert Job.objects.get().status == Status.DEAD_LETTER
    assert "JOB_RETRIED" not in trail(job.id)


def test_a_move_returns_the_job_as_it_is_then() -> None:
    job = make_job(Status.DEAD_LETTER)
    moved = move_job(
        lifecycle.DISCARD, job_id=job.id, actor=SYSTEM, reason="why", refusal=CannotRetry
    )
    assert (moved.id, moved.status) == (job.id, "CANCELLED")
    assert events(job.id)[-1].metadata == {"previous_status": "DEAD_LETTER", "reason": "why"}
