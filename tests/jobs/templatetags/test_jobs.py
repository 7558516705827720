from datetime import timedelta

from django.utils import timezone

from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution, Trigger
from jobs.templatetags import jobs as tags
from tests.controlplane.templatetags.test_components import SYMBOLS

LOOKS = [*tags.STATES.values(), tags.CANCELLING]


def test_every_state_outcome_and_trigger_has_a_look() -> None:
    assert set(tags.STATES) == set(Status)
    assert set(tags.OUTCOMES) == set(Outcome)
    assert set(tags.TRIGGERS) == set(Trigger)


def test_no_two_states_share_a_word_or_a_shape() -> None:
    for looks in (LOOKS, list(tags.OUTCOMES.values())):
        assert len({look.word for look in looks}) == len(looks)
        assert len({look.shape for look in looks}) == len(looks)


def test_every_shape_is_drawn() -> None:
    assert {look.shape for look in (*LOOKS, *tags.OUTCOMES.values())} <= SYMBOLS


def test_a_running_job_that_was_asked_to_stop_shows_as_cancelling() -> None:
    job = Job(status=Status.RUNNING, cancel_requested_at=timezone.now())
    assert "Cancelling" in tags.job_state(job)
    job.status = Status.CANCELLED
    assert "Cancelled" in tags.job_state(job)


def test_an_execution_that_never_started_has_no_run_time() -> None:
    assert tags.run_time(None) == ""
    assert tags.run_time(JobExecution()) == ""


def test_run_time_counts_to_the_end_or_to_now() -> None:
    start = timezone.now() - timedelta(minutes=2)
    ended = JobExecution(started_at=start, finished_at=start + timedelta(seconds=1.5))
    assert tags.run_time(ended) == "1.5 s"
    assert tags.run_time(JobExecution(started_at=start)).startswith("2 min")


def test_large_json_is_cut_and_says_how_much_is_missing() -> None:
    shown = tags.shown_json("x" * tags.MAX_SHOWN)
    assert (len(shown.text), shown.left_out) == (tags.MAX_SHOWN, 2)


def test_json_keeps_letters_as_they_are() -> None:
    assert tags.shown_json({"name": "Grüße"}).text == '{\n  "name": "Grüße"\n}'
