"""What an exception means for its attempt."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pytest_django import Settings

from jobs.errors import PermanentFailure, Snooze, TaskCancelled, TaskTimedOut
from jobs.lifecycle import Outcome
from jobs.retry import Backoff
from jobs.runtime.failure import CUT, MAX_FRAMES, ending_of, retry_delay, safe, texts_of
from jobs.settlement import Ending, Fate
from tests.sample_app import tasks
from tests.sample_app.tasks import Flaw, Unprintable

STARTED = datetime(2026, 1, 2, tzinfo=UTC)
#: The stubs know Django's own options only.
NOOP: Any = tasks.noop
FINISHED = STARTED + timedelta(seconds=5)


def raised(error: BaseException) -> BaseException:
    """The same error, with a traceback."""
    try:
        raise error
    except BaseException as caught:  # noqa: BLE001 - any kind, for the test to look at
        return caught


def end(
    error: BaseException, task: Any = tasks.fail, *, charged_before: int = 0, stop_reason: str = ""
) -> Ending:
    return ending_of(
        raised(error),
        task=task,
        charged_before=charged_before,
        stop_reason=stop_reason,
        started=STARTED,
        finished=FINISHED,
    )


def test_an_ordinary_error_fails_the_attempt_to_be_tried_again() -> None:
    ending = end(Flaw("as asked"))
    assert (ending.outcome, ending.fate, ending.charged) == (Outcome.FAILED, Fate.TRY_AGAIN, True)
    assert (ending.started_at, ending.finished_at) == (STARTED, FINISHED)
    assert (ending.error_code, ending.error_class) == ("FLAW", "tests.sample_app.tasks.Flaw")
    assert ending.error_message == "as asked"
    assert ending.traceback.startswith("Traceback (most recent call last)")
    assert ending.traceback.endswith("Flaw: as asked\n")


def test_an_error_without_a_code_of_its_own_is_an_exception() -> None:
    assert end(ValueError("bad")).error_code == "exception"


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_what_would_end_a_program_only_fails_the_attempt(error: BaseException) -> None:
    ending = end(error)
    assert (ending.outcome, ending.fate) == (Outcome.FAILED, Fate.TRY_AGAIN)


@pytest.mark.parametrize(
    ("error", "stop_reason", "outcome", "code"),
    [
        (TaskCancelled(), "cancel", Outcome.CANCELLED, "cancel"),
        (TaskCancelled(), "timeout", Outcome.TIMED_OUT, "timeout"),
        (TaskCancelled(), "shutdown", Outcome.INTERRUPTED, "shutdown"),
        (TaskCancelled(), "", Outcome.CANCELLED, "cancelled"),
        (TaskTimedOut(), "", Outcome.TIMED_OUT, "timed_out"),
        (TaskTimedOut(), "cancel", Outcome.TIMED_OUT, "cancel"),
        (Flaw("it broke while stopping"), "timeout", Outcome.FAILED, "FLAW"),
    ],
)
def test_a_task_that_stopped_says_so_and_why(
    error: Exception, stop_reason: str, outcome: Outcome, code: str
) -> None:
    ending = end(error, stop_reason=stop_reason)
    assert (ending.outcome, ending.fate) == (outcome, Fate.TRY_AGAIN)
    assert ending.error_code == code


def test_a_snooze_is_not_charged_and_carries_its_time() -> None:
    ending = end(Snooze(seconds=90))
    assert (ending.outcome, ending.fate, ending.charged) == (
        Outcome.INTERRUPTED,
        Fate.SNOOZE,
        False,
    )
    assert (ending.snooze_delay, ending.snooze_until) == (timedelta(seconds=90), None)
    assert end(Snooze(until=FINISHED)).snooze_until == FINISHED


@pytest.mark.parametrize(
    ("task", "error", "gives_up", "reason"),
    [
        (tasks.fail, PermanentFailure("no", code="NO_USE"), True, "NO_USE"),
        (tasks.fail, PermanentFailure("no"), True, "permanent_failure"),
        (tasks.never_retries_flaws, Flaw(), True, "FLAW"),
        (tasks.never_retries_flaws, ConnectionError(), False, ""),
        (tasks.retries_connection_errors_only, ConnectionResetError(), False, ""),
        (tasks.retries_connection_errors_only, ValueError(), True, "not_retryable"),
        (tasks.retries_connection_errors_only, TaskCancelled(), False, ""),
    ],
)
def test_a_task_names_what_is_worth_another_try(
    task: Any, error: Exception, gives_up: bool, reason: str
) -> None:
    ending = end(error, task)
    assert (ending.fate is Fate.GIVE_UP, ending.reason) == (gives_up, reason)


class TestRetryDelay:
    """Seconds until the next attempt, by the task's own policy."""

    @pytest.mark.parametrize(
        ("options", "attempt", "error", "delay"),
        [
            ({}, 1, None, None),
            ({"backoff": 0}, 3, None, 0.0),
            ({"backoff": 2.0}, 3, None, 8.0),
            ({"backoff": Backoff(1, 3)}, 9, None, 3.0),
            ({"retry_delays": {Flaw: 7}}, 1, Flaw(), 7.0),
            ({"retry_delays": {Flaw: 7}}, 1, ValueError(), None),
            ({"retry_delays": {Flaw: 7, Exception: 9}, "backoff": 1}, 1, ValueError(), 9.0),
        ],
    )
    def test_is_the_tasks_own_or_none(
        self,
        options: dict[str, Any],
        attempt: int,
        error: BaseException | None,
        delay: float | None,
    ) -> None:
        assert retry_delay(NOOP.using(**options), attempt, error) == delay

    def test_grows_no_further_than_the_projects_cap(self, settings: Settings) -> None:
        settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"backoff_cap_seconds": 60.0}
        assert retry_delay(NOOP.using(backoff=10), 20) == 60.0
        assert retry_delay(NOOP.using(backoff=100), 20) == 100.0

    def test_counts_the_attempts_charged_so_far(self) -> None:
        task = NOOP.using(backoff=1.0)
        assert end(Flaw(), task, charged_before=3).retry_delay == 8.0

    def test_of_a_plain_task_is_the_projects(self) -> None:
        assert retry_delay(object(), 1) is None


class TestTexts:
    """What is kept of an error fits its columns, whatever the error does."""

    def test_an_error_that_cannot_be_printed_is_still_told(self) -> None:
        texts = texts_of(raised(Unprintable()), Outcome.FAILED)
        assert texts["error_message"] == "(its message cannot be printed: RuntimeError)"
        assert texts["error_class"] == "tests.sample_app.tasks.Unprintable"
        assert "raised" in texts["traceback"], "the place where it was raised"

    def test_long_messages_and_tracebacks_are_cut_with_a_mark(self, settings: Settings) -> None:
        settings.CONTROL_PLANE = settings.CONTROL_PLANE | {
            "max_error_chars": 50,
            "max_traceback_chars": 80,
        }
        texts = texts_of(raised(Flaw("x" * 1000)), Outcome.FAILED)
        assert (len(texts["error_message"]), len(texts["traceback"])) == (50, 80)
        assert texts["error_message"].endswith(CUT)
        assert texts["traceback"].endswith(CUT)

    def test_a_recursion_gone_wild_keeps_its_last_frames(self) -> None:
        def deeper(level: int) -> None:
            deeper(level + 1)

        with pytest.raises(RecursionError) as wild:
            deeper(0)
        texts = texts_of(wild.value, Outcome.FAILED)
        assert texts["traceback"].count("deeper") < 3 * MAX_FRAMES
        assert texts["error_class"] == "builtins.RecursionError"

    def test_a_cause_that_cannot_be_shown_does_not_hide_the_rest(self) -> None:
        error = Flaw("outer")
        error.__cause__ = Unprintable()
        texts = texts_of(raised(error), Outcome.FAILED)
        assert texts["error_message"] == "outer"
        assert texts["traceback"]

    def test_a_code_that_is_no_text_is_none(self) -> None:
        error = Flaw("x")
        error.code = 404  # type: ignore[assignment]
        assert texts_of(error, Outcome.FAILED)["error_code"] == "exception"


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("plain", "plain"),
        ("é 漢 😀", "é 漢 😀"),
        ("a\x00b", "a\\x00b"),
        ("a\ud800b", "a?b"),
        ("x" * 21, "x" * (20 - len(CUT)) + CUT),
        ("x" * 20, "x" * 20),
    ],
)
def test_text_is_made_storable(text: str, stored: str) -> None:
    assert safe(text, 20) == stored


def test_text_full_of_nul_stays_within_its_column() -> None:
    assert len(safe("\x00" * 255, 255)) <= 255
