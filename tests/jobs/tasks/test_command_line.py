from typing import Any

import pytest

from jobs.errors import InvalidArguments
from jobs.tasks.command_line import CommandLine, parse


def test_words_stay_words() -> None:
    assert parse({"argv": ["echo", "; id", ""]}) == CommandLine(
        argv=("echo", "; id", ""),
        cwd="",
        env={},
        stdin="",
        expected_exit_codes=frozenset({0}),
        run_as="",
    )


def test_only_a_shell_line_meets_a_shell() -> None:
    assert parse({"shell": "echo $HOME | wc"}).argv == ("/bin/sh", "-c", "echo $HOME | wc")


def test_everything_else_is_passed_on() -> None:
    line = parse(
        {
            "argv": ["true"],
            "shell": None,
            "cwd": "/srv",
            "env": {"A_1": "b=c"},
            "stdin": "in",
            "expected_exit_codes": [0, 255],
            "run_as": "www-data",
        }
    )
    assert (line.cwd, line.env, line.stdin, line.run_as) == (
        "/srv",
        {"A_1": "b=c"},
        "in",
        "www-data",
    )
    assert line.expected_exit_codes == {0, 255}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "argv"),
        ({"argv": None, "shell": None}, "argv"),
        ({"argv": ["true"], "shell": "true"}, "shell"),
        ({"argv": []}, "argv"),
        ({"argv": "true"}, "argv"),
        ({"argv": [""]}, "argv[0]"),
        ({"argv": ["a", 1]}, "argv[1]"),
        ({"argv": ["a", "b\x00"]}, "argv[1]"),
        ({"argv": ["a", "\ud800"]}, "argv[1]"),
        ({"argv": ["a" * 131_001]}, "argv[0]"),
        ({"shell": ""}, "shell"),
        ({"shell": "  \n"}, "shell"),
        ({"shell": ["true"]}, "shell"),
        ({"shell": "a\x00b"}, "shell"),
        ({"shell": "true", "cwd": "relative"}, "cwd"),
        ({"shell": "true", "cwd": None}, "cwd"),
        ({"shell": "true", "env": {"": "a"}}, "env"),
        ({"shell": "true", "env": {"A=B": "a"}}, "env"),
        ({"shell": "true", "env": {"1A": "a"}}, "env"),
        ({"shell": "true", "env": {"A\n": "a"}}, "env"),
        ({"shell": "true", "env": {"A": "a\x00"}}, "env.A"),
        ({"shell": "true", "env": {"A": 1}}, "env.A"),
        ({"shell": "true", "env": "A=B"}, "env"),
        ({"shell": "true", "stdin": None}, "stdin"),
        ({"shell": "true", "stdin": "x" * 1_000_001}, "stdin"),
        ({"shell": "true", "expected_exit_codes": 0}, "expected_exit_codes"),
        ({"shell": "true", "expected_exit_codes": [256]}, "expected_exit_codes"),
        ({"shell": "true", "run_as": 0}, "run_as"),
        ({"shell": "true", "run_as": "a" * 256}, "run_as"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse(given)
    assert caught.value.field == field
