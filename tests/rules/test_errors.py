"""Every error that users may see has a code of its own, a status and a sentence."""

import importlib
import re

import pytest

from controlplane.errors import ControlPlaneError
from tests.rules.tree import product


def all_errors() -> list[type[ControlPlaneError]]:
    """The whole family, whichever module declares a member."""
    for module in product():
        if module.path.endswith("errors.py"):
            importlib.import_module(module.path.removesuffix(".py").replace("/", "."))
    found: list[type[ControlPlaneError]] = []
    waiting = [ControlPlaneError]
    while waiting:
        error = waiting.pop()
        waiting += error.__subclasses__()
        if error.__module__.split(".")[0] != "tests":
            found.append(error)
    return sorted(found, key=lambda error: (error.__module__, error.__name__))


@pytest.mark.parametrize("error", all_errors(), ids=lambda error: error.__name__)
class TestEachError:
    def test_has_a_stable_code(self, error: type[ControlPlaneError]) -> None:
        assert re.fullmatch(r"[A-Z][A-Z_]+|error", error.code)

    def test_has_a_status_that_http_knows(self, error: type[ControlPlaneError]) -> None:
        assert 400 <= error.http_status < 600

    def test_says_a_whole_sentence(self, error: type[ControlPlaneError]) -> None:
        assert re.fullmatch(r"[A-Z].*\.", error().message)


def test_a_code_means_one_status_wherever_it_is_used() -> None:
    statuses: dict[str, set[int]] = {}
    for error in all_errors():
        statuses.setdefault(error.code, set()).add(error.http_status)
    assert {code: found for code, found in statuses.items() if len(found) > 1} == {}
