"""Rules for the tests themselves: nobody sleeps, nobody skips quietly."""

import ast

from tests.rules.tree import calls, listing, name_of, suite

#: Tasks under test may be as deaf and as slow as a stranger's.
SLEEPERS = {"tests/sample_app/tasks.py"}


def test_no_test_sleeps() -> None:
    found = [
        f"{module.path}:{call.lineno}"
        for module in suite()
        if module.path not in SLEEPERS
        for call in calls(module.tree)
        if name_of(call) == "sleep" and isinstance(call.func, ast.Attribute)
    ]
    assert not found, listing(found)


def test_test_names_are_sentences() -> None:
    short = [
        f"{module.path}:{node.name}"
        for module in suite()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and node.name.count("_") < 2
    ]
    assert not short, listing(short)
