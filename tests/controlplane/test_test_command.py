"""`manage.py test`: checkers first, then pytest; what fails shows in the exit status."""

import os
import sys

import pytest

from controlplane import test_command, test_setup


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that were run; each succeeds unless it is mypy."""
    commands: list[list[str]] = []

    def run(command: list[str]) -> int:
        program = os.path.basename(command[0])
        commands.append(command[2:] if program.startswith("python") else [program, *command[1:]])
        return 1 if program == "mypy" else 0

    monkeypatch.setenv("DATABASE_URL", "postgresql://given/database")
    monkeypatch.setenv("CHROME", "before")
    monkeypatch.setattr(test_command, "run", run)
    monkeypatch.setattr(test_setup, "browser", lambda: "/usr/bin/chromium")
    return commands


def test_everything_runs_although_a_checker_fails(
    ran: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert test_command.main([]) == 1
    assert [command[0] for command in ran] == ["ruff", "ruff", "mypy", "lint-imports", "pytest"]
    assert capsys.readouterr().out.endswith("== Failed: mypy; the tests run all the same\n")


def test_the_checkers_are_there() -> None:
    for program, *_ in test_command.CHECKERS.values():
        assert os.access(os.path.join(os.path.dirname(sys.executable), program), os.X_OK)


def test_naming_files_runs_only_those(ran: list[list[str]]) -> None:
    assert test_command.main(["tests/controlplane::test_x", "-x"]) == 0
    assert ran == [["pytest", "-m", "not soak", "tests/controlplane::test_x", "-x"]]


def test_soak_tests_run_when_asked_for(ran: list[list[str]]) -> None:
    test_command.main(["--soak", "tests"])
    assert ran == [["pytest", "tests"]]


def test_help_runs_nothing(ran: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert test_command.main(["--help"]) == 0
    assert ran == []
    assert "--soak" in capsys.readouterr().out
