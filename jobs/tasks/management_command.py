"""Run a management command that whoever runs this installation has put on a list."""

from collections.abc import Mapping
from typing import Any

from django.core import management
from django.core.management import CommandError
from django.tasks import task

from controlplane import conf
from controlplane.actors import Actor
from controlplane.errors import PermissionDenied
from jobs.errors import InvalidArguments, PermanentFailure
from jobs.runtime.context import JobContext
from jobs.tasks import argument_checks
from jobs.tasks.command_output import CommandOutput
from jobs.tasks.stopping import stopped

#: Never run as a job, whatever the list says: they destroy data, ask questions, open shells, change
#: the code or the database under running jobs, or never end.
NEVER_ALLOWED = frozenset(
    {
        "bootstrap_admin",
        "changepassword",
        "createsuperuser",
        "dbshell",
        "flush",
        "makemessages",
        "makemigrations",
        "migrate",
        "optimizemigration",
        "reset_db",
        "runexecutor",
        "runscheduler",
        "runserver",
        "runwatchdog",
        "selftest",
        "shell",
        "shell_plus",
        "squashmigrations",
        "startapp",
        "startproject",
        "test",
        "testserver",
        "up",
    }
)
#: They choose other code or settings than the executor's.
_REFUSED_OPTIONS = ("settings", "pythonpath")
#: `call_command` takes these for itself.
_OWN_OPTIONS = frozenset({"stdout", "stderr"})
_HOW_TO_ALLOW = (
    "Whoever runs this installation can allow commands with the option "
    "management_commands_allowed (MANAGEMENT_COMMANDS_ALLOWED in the environment)."
)


class CommandFailed(Exception):
    """The management command says that it failed."""

    code = "command_error"


def guard_enqueue(arguments: Mapping[str, Any], actor: Actor) -> None:
    """Refuse the command before it is a job.

    Raises PermissionDenied for a command that is not allowed, InvalidArguments naming the argument
    that is wrong.
    """
    _check(arguments)


@task(takes_context=True, isolation="process", max_attempts=1, guard=guard_enqueue)
def management_command(
    context: JobContext,
    name: str,
    args: list[str] | None = None,
    options: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Run the command `name` as on a command line; what it writes goes to the log.

    Runs once (no retry), in a process of its own, so that it can be ended. Returns {"last_line"}.
    Raises CommandFailed when the command says so, PermanentFailure when it may not or cannot run.
    """
    try:
        words, keywords = _check({"name": name, "args": args, "options": options})
    except PermissionDenied as error:
        raise PermanentFailure(error.message, code="command_not_allowed") from error
    except InvalidArguments as error:
        raise PermanentFailure(error.message, code="invalid_arguments") from error
    if context.cancelled:
        raise stopped(context, "the command was not begun")
    stdout, stderr = CommandOutput(context, "stdout"), CommandOutput(context, "stderr")
    try:
        management.call_command(name, *words, stdout=stdout, stderr=stderr, **keywords)
    except CommandError as error:
        raise CommandFailed(str(error) or "The command failed.") from error
    except TypeError as error:
        if "Unknown option" in str(error) or "Unknown options" in str(error):
            raise PermanentFailure(f"options: {error}", code="invalid_arguments") from error
        raise
    except SystemExit as end:
        if end.code not in (None, 0):
            raise CommandFailed(f"The command ended with {end.code!r}.") from end
    return {"last_line": stdout.last_line.text() or stderr.last_line.text()}


def _check(given: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    name = argument_checks.text(given.get("name"), "name", maximum=200)
    if name in NEVER_ALLOWED:
        raise PermissionDenied(f"The command {name!r} can never run as a job.")
    if name not in conf.options().management_commands_allowed:
        raise PermissionDenied(f"The command {name!r} is not allowed. {_HOW_TO_ALLOW}")
    if name not in management.get_commands():
        raise argument_checks.refuse("name", f"names no command of this project: {name!r}")
    return _words(given.get("args")), _keywords(given.get("options"))


def _words(value: Any) -> tuple[str, ...]:
    words = argument_checks.text_list([] if value is None else value, "args")
    for index, word in enumerate(words):
        head = word.partition("=")[0].removeprefix("--")
        # argparse also takes the beginning of an option's name.
        if word.startswith("--") and head and any(o.startswith(head) for o in _REFUSED_OPTIONS):
            raise argument_checks.refuse(
                f"args[{index}]", f"must not choose other code: {word.partition('=')[0]}"
            )
    return words


def _keywords(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise argument_checks.refuse("options", f"must be an object, not {type(value).__name__}")
    for option in value:
        plain = (
            argument_checks.text(option, "a name in options", maximum=200)
            .lstrip("-")
            .replace("-", "_")
        )
        if plain in _REFUSED_OPTIONS:
            raise argument_checks.refuse("options", f"must not choose other code: {option}")
        if plain in _OWN_OPTIONS or not plain.isidentifier():
            raise argument_checks.refuse("options", f"has a name that is no option: {option!r}")
    return dict(value)
