"""What `run_command` was asked to run, checked. Pure: nothing is looked up on this machine."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs.tasks import argument_checks

_SHELL = "/bin/sh"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """A command ready to be started. `argv` goes to the program element by element."""

    argv: tuple[str, ...]
    cwd: str
    env: dict[str, str]
    stdin: str
    expected_exit_codes: frozenset[int]
    run_as: str


def parse(given: Mapping[str, Any]) -> CommandLine:
    """The command that these arguments mean. Raises InvalidArguments naming the argument."""
    return CommandLine(
        argv=_argv(given.get("argv"), given.get("shell")),
        cwd=_cwd(given.get("cwd", "")),
        env=_env(given.get("env")),
        stdin=argument_checks.text(given.get("stdin", ""), "stdin", maximum=1_000_000),
        expected_exit_codes=argument_checks.whole_numbers(
            given.get("expected_exit_codes", (0,)), "expected_exit_codes", minimum=0, maximum=255
        ),
        run_as=argument_checks.text(given.get("run_as", ""), "run_as", maximum=255),
    )


def _argv(argv: Any, shell: Any) -> tuple[str, ...]:
    if argv is None and shell is None:
        raise argument_checks.refuse("argv", "is missing: give either argv or shell")
    if argv is not None and shell is not None:
        raise argument_checks.refuse("shell", "cannot be given together with argv")
    if shell is not None:
        line = argument_checks.text(shell, "shell")
        if not line.strip():
            raise argument_checks.refuse("shell", "is empty")
        return (_SHELL, "-c", line)
    words = argument_checks.text_list(argv, "argv")
    if not words:
        raise argument_checks.refuse("argv", "is empty")
    if not words[0]:
        raise argument_checks.refuse("argv[0]", "is empty: it names the program")
    return words


def _cwd(value: Any) -> str:
    cwd = argument_checks.text(value, "cwd", maximum=4096)
    if cwd and not cwd.startswith("/"):
        raise argument_checks.refuse("cwd", "must be an absolute path")
    return cwd


def _env(value: Any) -> dict[str, str]:
    env = argument_checks.text_map(value, "env")
    for name in env:
        if not _VARIABLE.fullmatch(name):
            raise argument_checks.refuse("env", f"has a name that is no variable's name: {name!r}")
    return env
