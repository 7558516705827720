"""The examples of docs/api.md, run from top to bottom."""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import User
from tests.api_client import BASE, Answer, ApiClient
from tests.rules.tree import ROOT

BLOCK = re.compile(r"```(sh|json)\n(.*?)```", re.DOTALL)
ASSIGNED = re.compile(r"(\w+)=\$\((.*)\)")
PICKED = re.compile(r"echo \"\$(\w+)\" \| jq -r \.(\w+)")
ANYTHING = "…"


def examples() -> Iterator[tuple[list[str], Any]]:
    """Pairs of commands and the answer that the last of them gets."""
    text = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    commands = [block.strip().splitlines() for kind, block in blocks if kind == "sh"]
    answers = [json.loads(block) for kind, block in blocks if kind == "json"]
    assert [kind for kind, _ in blocks] == ["sh", "json"] * len(commands)
    return zip(commands, answers, strict=True)


class Shell:
    """As much of one as the examples need."""

    def __init__(self) -> None:
        self.variables = {"CP": BASE}
        self.last: Answer | None = None

    def run(self, line: str) -> None:
        if assigned := ASSIGNED.fullmatch(line):
            self.variables[assigned[1]] = self._value(assigned[2])
        else:
            self.last = self._curl(line)

    def _value(self, command: str) -> str:
        if picked := PICKED.fullmatch(command):
            return str(json.loads(self.variables[picked[1]])[picked[2]])
        answer = self._curl(command)
        assert answer.status < 300, answer.text
        return answer.text

    def _filled(self, line: str) -> str:
        """With the variables' values, but not between single quotes."""
        parts = re.split("('[^']*')", line)
        parts[::2] = [
            re.sub(r"\$(\w+)", lambda found: self.variables[found[1]], part) for part in parts[::2]
        ]
        return "".join(parts)

    def _curl(self, line: str) -> Answer:
        name, address, *rest = shlex.split(self._filled(line))
        assert name == "curl"
        options = list(zip(rest[::2], rest[1::2], strict=True))
        headers = dict(value.split(": ", 1) for option, value in options if option == "-H")
        data = next((value for option, value in options if option == "--json"), None)
        method = next((value for option, value in options if option == "-X"), None)
        method = method or ("GET" if data is None else "POST")
        raw = data.encode() if data is not None else b""
        assert {option for option, _ in options} <= {"-H", "-X", "--json"}
        return ApiClient()(method, address.removeprefix(BASE), raw=raw, headers=headers)


def assert_matches(answer: Any, shown: Any, place: str = "answer") -> None:
    """What is shown is there; there may be more."""
    if shown == ANYTHING:
        assert answer not in (None, "", []), place
    elif isinstance(shown, dict):
        assert shown.keys() <= answer.keys(), place
        for name, value in shown.items():
            assert_matches(answer[name], value, f"{place}.{name}")
    elif isinstance(shown, list) and shown and isinstance(shown[0], dict):
        assert len(answer) >= len(shown), place
        for index, value in enumerate(shown):
            assert_matches(answer[index], value, f"{place}[{index}]")
    else:
        assert answer == shown, place


def test_every_example_gets_the_answer_that_stands_under_it(operator: User) -> None:
    shell = Shell()
    for commands, shown in examples():
        for line in commands:
            shell.run(line)
        assert shell.last is not None
        assert_matches(shell.last.body, shown, commands[-1])


@pytest.mark.parametrize(
    ("answer", "shown"),
    [({"a": 1}, {"b": 1}), ({"a": 1}, {"a": 2}), ({"a": None}, {"a": "…"}), ([], [{"a": 1}])],
)
def test_an_answer_that_differs_is_noticed(answer: Any, shown: Any) -> None:
    with pytest.raises(AssertionError):
        assert_matches(answer, shown)
