from datetime import UTC, datetime, timedelta

import pytest

from controlplane.errors import Conflict, InvalidInput, NotFound
from jobs import errors
from jobs.errors import PermanentFailure, Snooze, TaskCancelled, TaskSignal, error_code


class Coded(Exception):
    def __init__(self, code: object) -> None:
        self.code = code


class Treacherous(Exception):
    @property
    def code(self) -> str:
        raise RuntimeError("not even that")


@pytest.mark.parametrize(
    ("error", "code", "status"),
    [
        (errors.TaskNotFound, "TASK_NOT_FOUND", 404),
        (errors.InvalidArguments, "INVALID_ARGUMENTS", 400),
        (errors.InvalidJson, "INVALID_JSON", 400),
        (errors.CannotCancel, "CANNOT_CANCEL", 409),
        (errors.CannotRetry, "CANNOT_RETRY", 409),
        (errors.InvalidTransition, "INVALID_TRANSITION", 409),
        (errors.KeyTaken, "KEY_TAKEN", 409),
        (errors.IdempotencyConflict, "IDEMPOTENCY_CONFLICT", 409),
    ],
)
def test_what_people_see_has_a_code_and_a_status(
    error: type[NotFound | InvalidInput | Conflict], code: str, status: int
) -> None:
    assert (error.code, error.http_status) == (code, status)
    assert error().message.endswith(".")


def test_an_error_carries_its_code() -> None:
    assert error_code(Coded("FLAW")) == "FLAW"
    assert error_code(PermanentFailure("no", code="NO_USE")) == "NO_USE"
    assert error_code(PermanentFailure("no")) == "permanent_failure"


@pytest.mark.parametrize("code", [None, 404, b"bytes", ["list"]])
def test_a_code_that_is_no_text_is_none(code: object) -> None:
    assert error_code(Coded(code)) == ""
    assert error_code(ValueError()) == ""
    assert error_code(SystemExit(3)) == ""


def test_a_code_is_made_fit_to_store() -> None:
    assert error_code(Coded("x" * 100)) == "x" * 64
    assert error_code(Coded("a\x00b\ud800c")) == "a\ufffdb?c"
    assert error_code(Treacherous()) == ""


def test_a_snooze_takes_seconds_or_a_time() -> None:
    assert (Snooze(seconds=1.5).delay, Snooze(seconds=1.5).until) == (timedelta(seconds=1.5), None)
    assert Snooze(seconds=-5).delay == timedelta()
    until = datetime(2030, 1, 1, tzinfo=UTC)
    assert (Snooze(until=until).delay, Snooze(until=until).until) == (None, until)


def test_a_snooze_without_a_clear_time_is_refused() -> None:
    with pytest.raises(ValueError, match="either"):
        Snooze()
    with pytest.raises(ValueError, match="either"):
        Snooze(seconds=1, until=datetime(2030, 1, 1, tzinfo=UTC))
    with pytest.raises(ValueError, match="aware"):
        Snooze(until=datetime(2030, 1, 1))


def test_signals_of_a_task_are_told_from_its_failures() -> None:
    assert issubclass(Snooze, TaskSignal)
    assert issubclass(TaskCancelled, TaskSignal)
    assert not issubclass(PermanentFailure, TaskSignal)
