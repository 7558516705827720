"""Run a program of the executor's machine: for people who have no code to deploy."""

import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.tasks import task

from accounts import permissions
from controlplane import conf
from controlplane.actors import Actor
from controlplane.errors import PermissionDenied
from jobs.errors import InvalidArguments, PermanentFailure
from jobs.runtime.context import JobContext
from jobs.tasks import command_line, command_process, command_user
from jobs.tasks.stopping import stopped

#: Longest time between two looks at whether the job should stop, seconds.
_LOOK_EVERY = 0.05
#: How long children left behind may hold the output open after the command's end, seconds.
_LEFTOVER_SECONDS = 1.0
_DISABLED = (
    "run_command is switched off here. Whoever runs this installation can switch it on with the "
    "option run_command_enabled (RUN_COMMAND_ENABLED in the environment)."
)


class CommandFailed(Exception):
    """The command ended in a way the job does not expect."""

    code = "exit_code"


def guard_enqueue(arguments: Mapping[str, Any], actor: Actor) -> None:
    """Refuse the command before it is a job.

    Raises PermissionDenied where commands are switched off, and for everybody but an ADMIN and the
    system: whoever chooses the program can do all that the executor can, with a shell or without.
    Raises InvalidArguments naming the argument that is wrong.
    """
    if not conf.options().run_command_enabled:
        raise PermissionDenied(_DISABLED)
    if not permissions.allows(actor, "tasks.dangerous"):
        raise PermissionDenied(
            "Only an ADMIN may say which command runs. Others may run what an ADMIN has set up."
        )
    command_line.parse(arguments)


@task(takes_context=True, isolation="thread", max_attempts=1, guard=guard_enqueue)
def run_command(
    context: JobContext,
    argv: list[str] | None = None,
    shell: str | None = None,
    cwd: str = "",
    env: dict[str, str] | None = None,
    stdin: str = "",
    expected_exit_codes: tuple[int, ...] = (0,),
    run_as: str = "",
) -> dict[str, Any]:
    """Run `argv` as it stands, or the line `shell` by /bin/sh; what it prints goes to the log.

    Runs once (no retry): nobody knows what a command that failed has done already.
    Returns {"exit_code", "last_line"}. Raises CommandFailed for an unexpected exit code,
    TaskCancelled and TaskTimedOut after it has been ended, PermanentFailure when it cannot start.
    """
    if not conf.options().run_command_enabled:
        raise PermanentFailure(_DISABLED, code="task_disabled")
    line = _checked(
        {
            "argv": argv,
            "shell": shell,
            "cwd": cwd,
            "env": env,
            "stdin": stdin,
            "expected_exit_codes": expected_exit_codes,
            "run_as": run_as,
        }
    )
    user = command_user.command_user(line.run_as)
    process = command_process.start(line, user, context.write_output)
    with context.track_process_group(process.pid):
        exit_code = _run(process, context)
    return _judge(process, exit_code, line)


def _checked(arguments: Mapping[str, Any]) -> command_line.CommandLine:
    try:
        return command_line.parse(arguments)
    except InvalidArguments as error:
        raise PermanentFailure(error.message, code="invalid_arguments") from error


def _run(process: command_process.CommandProcess, context: JobContext) -> int:
    try:
        while not process.exited():
            if context.cancelled:
                _stop(process, context)
            process.pump(_LOOK_EVERY)
        process.drain(_LEFTOVER_SECONDS)
        _end_leftovers(process, context)
    except BaseException:
        process.end_tree(0)
        with suppress(subprocess.TimeoutExpired):
            process.close()
        raise
    return process.close()


def _stop(process: command_process.CommandProcess, context: JobContext) -> None:
    survivors = process.end_tree(conf.options().kill_grace_seconds)
    process.drain(_LEFTOVER_SECONDS)
    left = f", but {len(survivors)} of its processes would not end" if survivors else ""
    raise stopped(context, f"the command was ended{left}")


def _end_leftovers(process: command_process.CommandProcess, context: JobContext) -> None:
    if process.leftovers():
        context.write_output("stderr", "… the command left processes behind; they are ended …\n")
        process.end_leftovers(conf.options().kill_grace_seconds)
        process.drain(_LEFTOVER_SECONDS)
    if not process.output_ended:
        context.write_output("stderr", "… a daemon keeps the output open; it is not read on …\n")


def _judge(
    process: command_process.CommandProcess, exit_code: int, line: command_line.CommandLine
) -> dict[str, Any]:
    if exit_code in line.expected_exit_codes:
        last_line = process.last_lines["stdout"].text() or process.last_lines["stderr"].text()
        return {"exit_code": exit_code, "last_line": last_line}
    how = f"exit code {exit_code}" if exit_code >= 0 else f"ended by {_signal_name(-exit_code)}"
    last_error = process.last_lines["stderr"].text()
    raise CommandFailed(f"{how}: {last_error}" if last_error else how)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
