"""The one rule by which the end of an attempt moves its job, in every branch."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from jobs import queue
from jobs.lifecycle import Outcome
from jobs.models import Job, JobExecution
from jobs.settlement import Ending, Fate, settle
from tests.factories import make_job
from tests.jobs.reading import (
    claim,
    events,
    failure,
    fresh,
    job_of,
    seconds_from_now,
    states,
    trail,
)

pytestmark = pytest.mark.django_db

STARTED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
FINISHED = STARTED + timedelta(seconds=2)
#: An attempt that costs nothing.
FREE: dict[str, Any] = {"outcome": Outcome.INTERRUPTED, "charged": False}


def held(**columns: Any) -> JobExecution:
    """A RUNNING execution of worker 1; `columns` are the job's."""
    job = make_job(**columns)
    (claimed,) = claim(1, isolated=job.isolated)
    return JobExecution.objects.get(pk=claimed.execution_id)


def end(execution: JobExecution, ending: Ending) -> Job:
    """Report it as worker 1 would; it must not be late."""
    assert queue.report_ended(1, {execution.pk: ending}) == []
    return job_of(execution)


def last(job: Job) -> tuple[str, dict[str, Any]]:
    event = events(job.id)[-1]
    return event.event_type, event.metadata


def test_what_is_told_of_the_attempt_is_kept() -> None:
    execution = held()
    end(
        execution,
        failure(
            started_at=STARTED,
            finished_at=FINISHED,
            error_code="FLAW",
            error_class="app.Flaw",
            error_message="as asked",
            traceback="Traceback ...",
            alone=True,
        ),
    )
    fresh(execution)
    assert (execution.status, execution.charged, execution.alone) == ("FAILED", True, True)
    assert (execution.started_at, execution.finished_at) == (STARTED, FINISHED)
    assert (execution.error_code, execution.error_class) == ("FLAW", "app.Flaw")
    assert (execution.error_message, execution.traceback) == ("as asked", "Traceback ...")
    assert execution.result is None


def test_an_end_without_a_time_ends_now() -> None:
    execution = held()
    end(execution, failure())
    assert abs(seconds_from_now(fresh(execution).finished_at)) < 5
    assert (execution.started_at, execution.alone) == (None, False)


def test_a_start_written_before_is_neither_changed_nor_recorded_again() -> None:
    execution = held()
    JobExecution.objects.update(started_at=STARTED, alone=True)
    end(fresh(execution), failure(started_at=FINISHED, finished_at=FINISHED))
    assert (fresh(execution).started_at, execution.alone) == (STARTED, True)
    assert trail(execution.job_id) == ["JOB_CREATED", "JOB_FAILED"]


def test_a_start_is_recorded_with_its_own_time() -> None:
    execution = held()
    job = end(execution, failure(started_at=STARTED))
    assert trail(job.id) == ["JOB_CREATED", "JOB_STARTED", "JOB_FAILED"]
    started = events(job.id)[1]
    assert (started.occurred_at, started.metadata) == (STARTED, {"attempt": 1})


def test_an_attempt_that_never_began_has_no_start_on_record() -> None:
    job = end(held(), failure())
    assert trail(job.id) == ["JOB_CREATED", "JOB_FAILED"]


def test_a_failed_job_rests_until_its_next_attempt() -> None:
    job = end(held(), failure(error_code="FLAW", metadata={"more": 1}))
    assert (job.status, job.attempts_charged, job.finished_at) == ("FAILED", 1, None)
    assert seconds_from_now(job.run_after) == pytest.approx(10, abs=5)
    assert last(job) == ("JOB_FAILED", {"attempt": 1, "error_code": "FLAW", "more": 1})


def test_the_default_back_off_grows_with_what_was_charged(settings: Settings) -> None:
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"backoff_base_seconds": 100.0}
    job = end(held(attempts_charged=2), failure())
    assert (job.status, job.attempts_charged) == ("FAILED", 3)
    assert seconds_from_now(job.run_after) == pytest.approx(400, abs=5)


def test_a_task_chooses_its_own_delay() -> None:
    assert seconds_from_now(end(held(), failure(retry_delay=77.0)).run_after) == pytest.approx(
        77, abs=5
    )
    assert seconds_from_now(end(held(), failure(retry_delay=0.0)).run_after) < 5


@pytest.mark.parametrize("delay", [1e9, 1e300, float("inf"), float("nan"), -5.0])
def test_a_mad_delay_of_a_task_is_bounded(delay: float) -> None:
    job = end(held(), failure(retry_delay=delay))
    assert job.status == "FAILED"
    assert -5 < seconds_from_now(job.run_after) < 367 * 86_400


def test_a_time_out_is_recorded_as_one_and_tried_again() -> None:
    execution = held()
    job = end(execution, failure(outcome=Outcome.TIMED_OUT))
    assert states(job.id) == ("FAILED", ["TIMED_OUT"])
    assert last(job) == ("JOB_TIMED_OUT", {"attempt": 1})


@pytest.mark.parametrize("outcome", sorted(set(Outcome) - {Outcome.RUNNING, Outcome.TIMED_OUT}))
def test_any_other_outcome_is_recorded_as_a_failure(outcome: Outcome) -> None:
    job = end(held(), failure(outcome=outcome))
    assert states(job.id) == ("FAILED", [outcome])
    assert last(job)[0] == "JOB_FAILED"


def test_the_last_attempt_gives_up() -> None:
    job = end(held(max_attempts=3, attempts_charged=2), failure(error_code="FLAW"))
    assert (job.status, job.reason) == ("DEAD_LETTER", "attempts_exhausted")
    assert job.attempts_charged == 3
    assert job.run_after is None
    assert abs(seconds_from_now(job.finished_at)) < 5
    assert trail(job.id)[1:] == ["JOB_FAILED", "JOB_DEAD_LETTERED"]
    assert last(job)[1] == {"attempt": 1, "reason": "attempts_exhausted"}


def test_the_last_attempt_but_one_does_not() -> None:
    job = end(held(max_attempts=3, attempts_charged=1), failure())
    assert (job.status, job.reason) == ("FAILED", "")


@pytest.mark.parametrize(("reason", "kept"), [("NO_USE", "NO_USE"), ("", "not_retryable")])
def test_what_is_no_use_to_try_again_gives_up_at_once(reason: str, kept: str) -> None:
    job = end(held(), failure(fate=Fate.GIVE_UP, reason=reason))
    assert (job.status, job.reason) == ("DEAD_LETTER", kept)
    assert trail(job.id)[1:] == ["JOB_FAILED", "JOB_DEAD_LETTERED"]


def test_work_handed_back_costs_nothing_and_keeps_its_place() -> None:
    execution = held(attempts_charged=2, suspect=True)
    age = job_of(execution).queued_at
    job = end(execution, Ending(fate=Fate.HAND_BACK, **FREE))
    assert states(job.id) == ("PENDING", ["INTERRUPTED"])
    assert (job.attempts_charged, job.queued_at) == (2, age)
    assert job.suspect, "it has proved nothing yet"
    assert not fresh(execution).charged
    assert last(job) == ("JOB_HANDED_BACK", {"attempt": 1})


def test_handed_back_work_is_never_given_up() -> None:
    execution = held(max_attempts=1, attempts_charged=1)
    assert end(execution, Ending(fate=Fate.HAND_BACK, **FREE)).status == "PENDING"


def test_a_snooze_waits_for_its_delay_uncharged() -> None:
    execution = held(suspect=True)
    ending = Ending(fate=Fate.SNOOZE, snooze_delay=timedelta(minutes=1), **FREE)
    job = end(execution, ending)
    assert states(job.id) == ("SCHEDULED", ["INTERRUPTED"])
    assert seconds_from_now(job.run_after) == pytest.approx(60, abs=5)
    assert (job.attempts_charged, job.suspect) == (0, False)
    assert last(job) == ("JOB_SNOOZED", {"attempt": 1})


def test_a_snooze_waits_for_its_time() -> None:
    until = timezone.now() + timedelta(days=1)
    ending = Ending(fate=Fate.SNOOZE, snooze_until=until, snooze_delay=timedelta(minutes=1), **FREE)
    assert end(held(), ending).run_after == until


def test_a_snooze_without_either_is_due_at_once() -> None:
    job = end(held(), Ending(fate=Fate.SNOOZE, **FREE))
    assert job.status == "SCHEDULED"
    assert seconds_from_now(job.run_after) < 5


def test_a_mad_snooze_is_bounded() -> None:
    ending = Ending(fate=Fate.SNOOZE, snooze_delay=timedelta(days=300_000_000), **FREE)
    assert seconds_from_now(end(held(), ending).run_after) < 367 * 86_400


def test_an_effect_in_doubt_waits_for_a_person() -> None:
    ending = Ending(outcome=Outcome.INTERRUPTED, fate=Fate.VERIFY, reason="unconfirmed_effect")
    job = end(held(), ending)
    assert states(job.id) == ("NEEDS_VERIFICATION", ["INTERRUPTED"])
    assert (job.reason, job.attempts_charged) == ("unconfirmed_effect", 1)
    assert job.finished_at is job.run_after is None
    assert last(job) == ("JOB_NEEDS_VERIFICATION", {"attempt": 1})


@pytest.mark.parametrize("fate", Fate)
@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.TIMED_OUT, Outcome.CANCELLED])
def test_a_requested_cancel_beats_every_fate(fate: Fate, outcome: Outcome) -> None:
    execution = held(max_attempts=1)
    Job.objects.update(cancel_requested_at=timezone.now())
    job = end(execution, Ending(outcome=outcome, fate=fate, reason="x"))
    assert states(job.id) == ("CANCELLED", [outcome])
    assert job.attempts_charged == 1
    assert (job.reason, job.run_after) == ("", None)
    assert abs(seconds_from_now(job.finished_at)) < 5
    assert trail(job.id) == ["JOB_CREATED", "JOB_CANCELLED"]
    assert last(job)[1] == {"attempt": 1, "outcome": outcome}


def test_a_crash_makes_the_job_a_suspect_that_runs_alone() -> None:
    job = end(held(), failure(outcome=Outcome.INTERRUPTED, crashed=True))
    assert (job.status, job.suspect, job.isolated) == ("FAILED", True, True)
    assert (job.attempts_charged, job.crashes_alone) == (1, 0)


def test_a_doubtful_neighbour_is_a_suspect_uncharged() -> None:
    job = end(held(), Ending(fate=Fate.HAND_BACK, doubtful=True, **FREE))
    assert (job.status, job.suspect, job.isolated) == ("PENDING", True, True)
    assert (job.attempts_charged, job.crashes_alone) == (0, 0)


@pytest.mark.parametrize("known_from", ["ending", "execution"])
def test_crashes_alone_are_counted(known_from: str) -> None:
    execution = held(suspect=True, isolated=True)
    JobExecution.objects.update(alone=known_from == "execution")
    crash = failure(
        outcome=Outcome.INTERRUPTED, crashed=True, doubtful=True, alone=known_from == "ending"
    )
    job = end(execution, crash)
    assert (job.status, job.crashes_alone, job.suspect) == ("FAILED", 1, True)


def test_doubt_alone_is_not_a_crash_alone() -> None:
    execution = held(suspect=True, isolated=True, crashes_alone=2)
    ending = Ending(fate=Fate.HAND_BACK, doubtful=True, alone=True, **FREE)
    job = end(execution, ending)
    assert (job.status, job.crashes_alone) == ("PENDING", 2)


def test_the_third_crash_alone_gives_up_whatever_attempts_are_left() -> None:
    crash = failure(outcome=Outcome.INTERRUPTED, crashed=True, alone=True)
    assert end(held(crashes_alone=1, max_attempts=21), crash).status == "FAILED"
    job = end(held(crashes_alone=2, max_attempts=21), crash)
    assert (job.status, job.reason, job.crashes_alone) == ("DEAD_LETTER", "crashed", 3)
    assert job.attempts_charged == 1
    assert last(job)[1] == {"attempt": 1, "reason": "crashed"}


def test_a_crash_among_others_never_counts_as_one_alone() -> None:
    job = end(held(crashes_alone=2), failure(outcome=Outcome.INTERRUPTED, crashed=True))
    assert (job.status, job.crashes_alone) == ("FAILED", 2)


def test_earlier_crashes_alone_do_not_give_up_an_ordinary_failure() -> None:
    job = end(held(crashes_alone=3, suspect=True), failure())
    assert (job.status, job.suspect) == ("FAILED", False)


def test_an_uncharged_end_is_not_charged() -> None:
    execution = held(attempts_charged=1)
    assert end(execution, failure(charged=False)).attempts_charged == 1
    assert not fresh(execution).charged


def test_settling_what_has_ended_meanwhile_changes_nothing() -> None:
    execution = held()
    job = end(execution, failure())
    assert settle(job, execution, failure(outcome=Outcome.TIMED_OUT)) == []
    assert states(job.id) == ("FAILED", ["FAILED"])


def test_a_job_that_left_its_state_while_locked_stops_everything() -> None:
    execution = held()
    Job.objects.update(status="BLOCKED")
    with pytest.raises(RuntimeError, match="fail moved 0 rows"):
        settle(job_of(execution), execution, failure())
