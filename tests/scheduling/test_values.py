"""Values as they are stored; what is refused is tried with the action that creates."""

from typing import Any

import pytest

from controlplane.actors import SYSTEM, Actor
from jobs.errors import InvalidArguments
from scheduling.errors import InvalidSchedule
from scheduling.values import check_arguments, checked


def test_values_are_trimmed_and_canonical() -> None:
    stored = checked({"name": " a ", "cron": "00 1 * * MON ", "args": (1,), "timeout_seconds": 5})
    assert stored == {"name": "a", "cron": "0 1 * * MON", "args": [1], "timeout_seconds": 5.0}
    assert checked({"cron": "  "}) == {"cron": ""}


def test_an_unknown_value_is_named() -> None:
    odd: Any = {"colour": "red"}
    with pytest.raises(InvalidSchedule, match="no colour"):
        checked(odd)


def test_the_guard_of_the_task_is_asked_for_the_author() -> None:
    nobody = Actor(id=1, label="x")
    command = "jobs.tasks.run_command.run_command"
    with pytest.raises(Exception, match="switched off"):
        check_arguments(command, [], {"shell": "true"}, nobody)
    with pytest.raises(InvalidArguments):
        check_arguments("tests.sample_app.tasks.add", [], {}, SYSTEM)
