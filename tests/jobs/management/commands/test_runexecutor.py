"""`runexecutor` turns its options into an executor, or refuses them by name."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from jobs.management.commands import runexecutor


class FakeExecutor:
    """Notes how it was made and run; ends with exit code 3."""

    made: list[dict[str, Any]]

    def __init__(self, **options: Any) -> None:
        self.made.append(options)

    def run(self, *, once: bool) -> int:
        self.made[-1]["once"] = once
        return 3


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> list[dict[str, Any]]:
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"executor_enabled": True}
    FakeExecutor.made = []
    monkeypatch.setattr(runexecutor, "Executor", FakeExecutor)
    return FakeExecutor.made


def run(*arguments: str) -> object:
    with pytest.raises(SystemExit) as ended:
        call_command("runexecutor", *arguments)
    return ended.value.code


def test_without_options_it_serves_everything_until_stopped(made: list[dict[str, Any]]) -> None:
    assert run() == 3, "the executor's exit code is the command's"
    assert made == [
        {"queues": [], "exclude": [], "threads": None, "processes": None, "once": False}
    ]


def test_its_options_reach_the_executor(made: list[dict[str, Any]]) -> None:
    run(
        *("--queues", "mail, urgent,", "--exclude", "app.tasks.slow"),
        *("--threads", "3", "--processes", "2", "--once"),
    )
    assert made == [
        {
            "queues": ["mail", "urgent"],
            "exclude": ["app.tasks.slow"],
            "threads": 3,
            "processes": 2,
            "once": True,
        }
    ]


@pytest.mark.parametrize("option", ["--threads", "--processes"])
@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", ""])
def test_a_number_of_slots_that_makes_no_sense_is_refused_by_name(
    made: list[dict[str, Any]], option: str, value: str
) -> None:
    with pytest.raises(CommandError, match=f"{option}: .*at least 1"):
        call_command("runexecutor", f"{option}={value}")
    assert made == []


def test_an_executor_that_is_not_enabled_makes_none(
    made: list[dict[str, Any]], settings: Settings
) -> None:
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"executor_enabled": False}
    assert run() == 2
    assert made == []
