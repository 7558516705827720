"""One attempt, from arguments to ending, whatever the task does."""

import json
import os
import time
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.tasks import TaskResult, TaskResultStatus
from django.tasks.signals import task_finished, task_started

from controlplane.errors import InvalidInput
from jobs.errors import TaskNotFound
from jobs.lifecycle import Outcome, Status
from jobs.models import JobExecution
from jobs.queue import Succeeded
from jobs.runtime import attempt as attempt_module
from jobs.runtime.attempt import (
    Attempt,
    Settled,
    broken,
    cut_short,
    find_task,
    handed_back,
    missing,
    run,
    timeout_of,
)
from jobs.runtime.context import Progress
from jobs.runtime.log_capture import current_log, install
from jobs.settlement import Ending, Fate
from tests.factories import make_job
from tests.jobs.reading import claim, states
from tests.jobs.runtime.attempts import CLOCK, attempt, log_of
from tests.sample_app import tasks
from tests.sample_app.models import Note
from tests.sample_app.witness import testimony


def outcome(one: Attempt, task: Any = None) -> Succeeded | Ending:
    one.started = one.started or time.monotonic()
    return run(one, task or find_task(one.claimed), worker_id=7, clock=CLOCK)


def result_of(one: Attempt) -> Any:
    end = outcome(one)
    assert isinstance(end, Succeeded), end
    return None if end.result is None else json.loads(end.result)


def failure_of(one: Attempt, task: Any = None) -> Ending:
    end = outcome(one, task)
    assert isinstance(end, Ending), end
    return end


def test_arguments_go_in_and_the_result_comes_out() -> None:
    one = attempt("add", 2, kwargs={"b": 3})
    end = outcome(one)
    assert isinstance(end, Succeeded)
    assert (end.execution_id, end.job_id) == (one.claimed.execution_id, one.claimed.job_id)
    assert end.result == "5"
    assert end.started <= end.finished


def test_a_result_of_nothing_is_none_not_null_text() -> None:
    end = outcome(attempt("noop"))
    assert isinstance(end, Succeeded)
    assert end.result is None


def test_a_coroutine_is_awaited() -> None:
    assert result_of(attempt("add_async", 2, 3)) == 5


def test_the_context_knows_the_attempt(witness: str) -> None:
    one = attempt("identify", witness, number=4)
    facts = result_of(one)
    assert facts == {
        "job": one.claimed.job_id,
        "execution": one.claimed.execution_id,
        "attempt": 4,
        "pid": os.getpid(),
    }
    assert len(testimony(witness)) == 1


@pytest.mark.parametrize(
    ("task", "error_class"),
    [
        ("fail", "tests.sample_app.tasks.Flaw"),
        ("exits", "builtins.SystemExit"),
        ("interrupts", "builtins.KeyboardInterrupt"),
        ("raises_unprintable", "tests.sample_app.tasks.Unprintable"),
    ],
)
def test_whatever_a_task_raises_is_an_outcome(task: str, error_class: str) -> None:
    ending = failure_of(attempt(task))
    assert (ending.outcome, ending.error_class) == (Outcome.FAILED, error_class)


@pytest.mark.parametrize("kind", ["nan", "nul", "surrogate", "deep", "large", "bytes"])
def test_a_result_that_cannot_be_stored_fails_with_its_code(kind: str) -> None:
    ending = failure_of(attempt("returns", kind))
    assert (ending.outcome, ending.error_code) == (Outcome.FAILED, "INVALID_JSON")
    assert ending.error_message.startswith("result")


def test_a_tuple_is_stored_as_a_list() -> None:
    assert result_of(attempt("returns", "tuple")) == [1, 2]


def test_arguments_that_no_longer_fit_fail_the_attempt() -> None:
    assert failure_of(attempt("add", 1, 2, 3)).error_class == "builtins.TypeError"


def test_a_guard_is_asked_again_when_the_attempt_begins() -> None:
    def refuse(arguments: Any, actor: Any) -> None:
        raise InvalidInput(f"Not allowed any more: {arguments}.")

    guarded: Any = tasks.add
    ending = failure_of(attempt("add", 1), guarded.using(guard=refuse))
    assert ending.error_message == "Not allowed any more: {'a': 1}."


def test_what_it_logs_goes_into_its_own_log() -> None:
    install()
    one = attempt("logs", 2)
    outcome(one)
    ((stream, text),) = log_of(one)
    assert stream == "log"
    assert text.count("of the task's logger") == 2
    assert "INFO controlplane.task: a line of the context" in text
    assert current_log.get() is None, "and what comes after does not"


def test_progress_is_kept_for_the_reporter_or_passed_on() -> None:
    one = attempt("report_progress", 3)
    outcome(one)
    assert one.progress == Progress(3.0, 3.0, "step 3")
    passed: list[Progress] = []
    other = attempt("report_progress", 2)
    other.send_progress = passed.append
    outcome(other)
    assert (other.progress, len(passed)) == (None, 2)


def test_a_stop_reason_decides_what_a_stopped_task_is() -> None:
    one = attempt("slow", "/no/such/file")
    one.stop.set("cancel")
    assert result_of(one) == "stopped"


def test_a_fork_that_returns_from_the_task_ends_before_it_can_report(witness: str) -> None:
    """Seen from the parent: the fork's exit code says that it ended in the guard."""
    one = attempt("forks_and_returns", witness)
    one.started = time.monotonic()
    ended: list[int] = []

    def wait_for_the_fork() -> None:
        (line,) = testimony(witness)
        ended.append(os.waitstatus_to_exitcode(os.waitpid(int(line.split()[1]), 0)[1]))

    me = os.getpid()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # other tests may have left threads
            end = outcome(one)
    finally:
        if os.getpid() != me:  # the guard is gone, and this is the fork: end it where it is seen
            os._exit(77)
    wait_for_the_fork()
    assert ended == [0]
    assert isinstance(end, Succeeded)


class Heard:
    """Listens to Django's task signals."""

    def __init__(self) -> None:
        self.started: list[TaskResultStatus] = []
        self.finished: list[TaskResult] = []

    def on_started(self, sender: Any, task_result: TaskResult, **_: Any) -> None:
        self.started.append(task_result.status)

    def on_finished(self, sender: Any, task_result: TaskResult, **_: Any) -> None:
        self.finished.append(task_result)


@pytest.fixture
def heard() -> Iterator[Heard]:
    heard = Heard()
    task_started.connect(heard.on_started)
    task_finished.connect(heard.on_finished)
    yield heard
    task_started.disconnect(heard.on_started)
    task_finished.disconnect(heard.on_finished)


def test_djangos_signals_tell_start_and_success(heard: Heard) -> None:
    outcome(attempt("add", 2))
    assert heard.started == [TaskResultStatus.RUNNING]
    (result,) = heard.finished
    assert (result.status, result.return_value) == (TaskResultStatus.SUCCESSFUL, 2)


def test_djangos_signals_tell_failure_with_its_error(heard: Heard) -> None:
    outcome(attempt("fail", "no"))
    (result,) = heard.finished
    assert result.status is TaskResultStatus.FAILED
    assert result.errors[0].exception_class_path == "tests.sample_app.tasks.Flaw"
    assert "Flaw: no" in result.errors[0].traceback


def test_a_receiver_that_fails_does_not_change_the_outcome(heard: Heard) -> None:
    def fail(**_: Any) -> None:
        raise RuntimeError("a receiver's own")

    task_finished.connect(fail)
    try:
        assert isinstance(outcome(attempt("noop")), Succeeded)
    finally:
        task_finished.disconnect(fail)


class TestTransactional:
    """The task's writes and its completion commit together or not at all."""

    pytestmark = pytest.mark.django_db(transaction=True)

    def claimed(self, task: str, *args: Any) -> Attempt:
        make_job(task=f"tests.sample_app.tasks.{task}", args=args)
        (held,) = claim(7)
        return Attempt(claimed=held)

    def test_success_commits_both_and_leaves_nothing_to_report(self) -> None:
        one = self.claimed("write_note", "kept")
        with pytest.raises(Settled):
            outcome(one)
        assert Note.objects.get().text == "kept"
        assert states(one.claimed.job_id) == (Status.SUCCEEDED, [Outcome.SUCCEEDED])
        assert JobExecution.objects.get().result == Note.objects.get().pk

    def test_an_error_rolls_the_writes_back(self) -> None:
        one = self.claimed("write_note_then_fail", "gone")
        assert failure_of(one).error_code == "FLAW"
        assert not Note.objects.exists()
        assert states(one.claimed.job_id)[0] == Status.RUNNING, "the failure is still to be told"

    def test_a_lost_lease_rolls_the_writes_back(self) -> None:
        one = self.claimed("write_note", "gone")
        JobExecution.objects.update(worker_id=8)
        ending = failure_of(one)
        assert ending.error_class == "jobs.runtime.attempt.LeaseLost"
        assert not Note.objects.exists()

    def test_a_task_that_is_not_transactional_keeps_its_writes(self) -> None:
        one = self.claimed("write_note_plainly", "kept")
        assert isinstance(outcome(one), Succeeded)
        assert Note.objects.count() == 1

    def test_a_transaction_that_a_task_left_open_is_closed(self) -> None:
        def leave_open() -> None:
            transaction.atomic().__enter__()
            Note.objects.create(text="never committed")

        one = attempt("noop")
        one.started = time.monotonic()
        plain: Any = type("Plain", (), {"takes_context": False, "call": staticmethod(leave_open)})
        outcome(one, plain)
        assert not connection.in_atomic_block
        assert not Note.objects.exists(), "and the next attempt has a connection that works"


def test_the_jobs_own_timeout_goes_before_its_tasks() -> None:
    assert timeout_of(attempt().claimed, tasks.noop) is None
    assert timeout_of(attempt().claimed, tasks.deaf) == 0.5
    assert timeout_of(attempt(timeout_seconds=3.0).claimed, tasks.deaf) == 3.0
    assert timeout_of(attempt().claimed, object()) is None


def test_an_unknown_task_is_not_found() -> None:
    with pytest.raises(TaskNotFound):
        find_task(attempt("tests.sample_app.tasks.gone").claimed)


def test_only_the_first_may_say_how_it_ended() -> None:
    one = attempt()
    assert [one.end(), one.end()] == [True, False]


def test_a_missing_task_is_given_up_uncharged_with_its_reason() -> None:
    ending = missing(TaskNotFound("No installed app has a task 'x'."))
    assert (ending.fate, ending.reason, ending.charged) == (Fate.GIVE_UP, "missing_task", False)
    assert (ending.error_code, ending.traceback) == ("missing_task", "")


def test_a_fault_of_our_own_is_tried_again_and_named() -> None:
    ending = broken(RuntimeError("ours"))
    assert (ending.outcome, ending.fate) == (Outcome.FAILED, Fate.TRY_AGAIN)
    assert (ending.error_code, ending.error_message) == ("executor_error", "ours")


def test_what_is_handed_back_is_not_charged() -> None:
    ending = handed_back("No slot became free.", "handed_back")
    assert (ending.outcome, ending.fate, ending.charged) == (
        Outcome.INTERRUPTED,
        Fate.HAND_BACK,
        False,
    )
    assert (ending.started_at, ending.error_message) == (None, "No slot became free.")


def test_what_is_cut_short_is_charged_with_its_times() -> None:
    one = attempt()
    how: dict[str, Any] = {"outcome": Outcome.TIMED_OUT, "code": "timeout", "message": "Too long."}
    assert cut_short(one, CLOCK, **how).started_at is None, "it had not begun"
    one.started = time.monotonic()
    ending = cut_short(one, CLOCK, **how)
    assert ending.charged
    assert ending.started_at == CLOCK.moment(one.started)
    assert (ending.outcome, ending.error_code) == (Outcome.TIMED_OUT, "timeout")


def test_signals_for_nobody_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(attempt_module, "task_result", lambda *_, **__: made.append("one"))
    outcome(attempt("add", 1))
    assert made == []
