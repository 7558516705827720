from typing import Any

import pytest
from django.core import management
from django.core.management import BaseCommand, CommandError
from django.core.management.base import CommandParser

from controlplane.actors import SYSTEM
from controlplane.errors import PermissionDenied
from jobs import registry
from jobs.backend import JobTask
from jobs.errors import InvalidArguments, PermanentFailure, TaskCancelled
from jobs.runtime.context import JobContext
from jobs.tasks import management_command
from jobs.tasks.management_command import NEVER_ALLOWED, CommandFailed, guard_enqueue
from tests.jobs.tasks.conftest import SetOptions, printed


class Report(BaseCommand):
    """Stands in for a command of an app; does what its argument says."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what")
        parser.add_argument("--times", type=int, default=1)

    def handle(self, *args: Any, **options: Any) -> str | None:
        what = options["what"]
        if what == "fail":
            raise CommandError("the disk is full")
        if what.startswith("exit"):
            raise SystemExit(int(what.removeprefix("exit")))
        if what == "type error":
            raise TypeError("a fault of the command's own")
        for _ in range(options["times"]):
            self.stdout.write(what)
        self.stderr.write("a warning")
        return None


@pytest.fixture(autouse=True)
def command(monkeypatch: pytest.MonkeyPatch, set_options: SetOptions) -> None:
    """One command, `report`, that exists and is allowed."""
    commands = {"report": Report(), "check": "django.core"}
    monkeypatch.setattr(management, "get_commands", lambda: commands)
    set_options(management_commands_allowed=("report", "flush", "gone"))


def run(context: JobContext, name: str, **arguments: Any) -> dict[str, Any]:
    result: dict[str, Any] = management_command.func(context, name, **arguments)
    return result


def test_it_is_known_by_its_dotted_path_and_runs_once_in_a_process() -> None:
    task = registry.task_named("jobs.tasks.management_command.management_command")
    assert isinstance(task, JobTask)
    assert (task.max_attempts, task.isolation) == (1, "process")
    assert task.guard is guard_enqueue


def test_what_the_command_writes_goes_to_the_log(context: JobContext) -> None:
    assert run(context, "report", args=["hello"]) == {"last_line": "hello"}
    chunks = context.output.take()
    assert [(c.stream, c.text) for c in chunks] == [
        ("stdout", "hello\n"),
        ("stderr", "a warning\n"),
    ]


def test_options_are_passed_by_either_spelling(context: JobContext) -> None:
    run(context, "report", args=["--times=2", "a"])
    run(context, "report", args=["b"], options={"times": 2})
    assert printed(context, "stdout") == "a\na\nb\nb\n"


def test_an_error_of_the_command_is_the_errors_text(context: JobContext) -> None:
    with pytest.raises(CommandFailed, match=r"^the disk is full$") as caught:
        run(context, "report", args=["fail"])
    assert caught.value.code == "command_error"


def test_missing_arguments_are_an_error_of_the_command(context: JobContext) -> None:
    with pytest.raises(CommandFailed, match="what"):
        run(context, "report")


def test_an_exit_does_not_take_the_process_along(context: JobContext) -> None:
    assert run(context, "report", args=["exit0"]) == {"last_line": ""}
    with pytest.raises(CommandFailed, match="ended with 2"):
        run(context, "report", args=["exit2"])
    run(context, "report", args=["--help"])


def test_an_unknown_option_fails_for_good(context: JobContext) -> None:
    with pytest.raises(PermanentFailure, match="options: Unknown option") as caught:
        run(context, "report", args=["a"], options={"colour": "red"})
    assert caught.value.code == "invalid_arguments"


def test_a_type_error_of_the_command_is_its_own(context: JobContext) -> None:
    with pytest.raises(TypeError, match="of the command's own"):
        run(context, "report", args=["type error"])


def test_a_stopped_job_begins_nothing(context: JobContext) -> None:
    context.stop_requested.set("cancel")
    with pytest.raises(TaskCancelled, match="not begun"):
        run(context, "report", args=["a"])
    assert printed(context) == ""


@pytest.mark.parametrize("name", sorted(NEVER_ALLOWED))
def test_dangerous_commands_are_refused_even_if_listed(name: str, set_options: SetOptions) -> None:
    set_options(management_commands_allowed=(name,))
    with pytest.raises(PermissionDenied, match="can never run as a job"):
        guard_enqueue({"name": name}, SYSTEM)


def test_the_fixed_list_holds_what_must_never_run() -> None:
    must = {"flush", "shell", "dbshell", "runserver", "runexecutor", "migrate", "test", "up"}
    assert must <= NEVER_ALLOWED


def test_a_command_must_be_listed_at_both_ends(context: JobContext) -> None:
    with pytest.raises(PermissionDenied, match="MANAGEMENT_COMMANDS_ALLOWED"):
        guard_enqueue({"name": "check"}, SYSTEM)
    with pytest.raises(PermanentFailure, match="MANAGEMENT_COMMANDS_ALLOWED") as caught:
        run(context, "check")
    assert caught.value.code == "command_not_allowed"


def test_a_listed_command_that_is_gone_is_refused(context: JobContext) -> None:
    with pytest.raises(InvalidArguments, match="names no command of this project: 'gone'"):
        guard_enqueue({"name": "gone"}, SYSTEM)
    with pytest.raises(PermanentFailure) as caught:
        run(context, "gone")
    assert caught.value.code == "invalid_arguments"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"args": ["--settings=evil"]}, "args[0]"),
        ({"args": ["a", "--settings", "evil"]}, "args[1]"),
        ({"args": ["--pythonpath=/tmp"]}, "args[0]"),
        ({"args": ["--sett=evil"]}, "args[0]"),
        ({"args": ["--py", "/tmp"]}, "args[0]"),
        ({"options": {"settings": "evil"}}, "options"),
        ({"options": {"--settings": "evil"}}, "options"),
        ({"options": {"pythonpath": "/tmp"}}, "options"),
        ({"options": {"stdout": "x"}}, "options"),
        ({"options": {"stderr": "x"}}, "options"),
        ({"options": {"a b": "x"}}, "options"),
        ({"options": ["x"]}, "options"),
        ({"args": "a"}, "args"),
        ({"args": [1]}, "args[0]"),
        ({"args": ["a\x00"]}, "args[0]"),
        ({"name": 1}, "name"),
        ({"name": None}, "name"),
    ],
)
def test_bad_arguments_are_refused_before_there_is_a_job(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        guard_enqueue({"name": "report"} | given, SYSTEM)
    assert caught.value.field == field


def test_plain_arguments_pass() -> None:
    guard_enqueue({"name": "report", "args": ["a", "--times", "2", "--", "-x"]}, SYSTEM)
    guard_enqueue({"name": "report", "options": {"times": 2, "no-color": True}}, SYSTEM)
