"""Each shape of a fault is made where it belongs, and nowhere else."""

import ast
from collections import Counter

import pytest

from tests.mutation.__main__ import all_mutants
from tests.mutation.python_mutants import mutants_of


def changes(text: str) -> list[str]:
    return [mutant.change for mutant in mutants_of("example.py", text)]


def texts(text: str) -> list[str]:
    return [mutant.text for mutant in mutants_of("example.py", text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = rows.filter(a=1, b=2)", ["x = rows.filter(b=2)", "x = rows.filter(a=1)"]),
        ("x = rows.exclude(x)", ["x = rows.exclude()"]),
        ("x = Q(a=1, b=2)", ["x = Q(b=2)", "x = Q(a=1)"]),
        ("x = Q(a=1)", []),
        ("x = Q(a=1) | Q(b=2)", ["x = Q(a=1)", "x = Q(b=2)"]),
        ("x = ~Q(a=1)", ["x = Q(a=1)"]),
        (
            "x = rows.select_for_update(skip_locked=True)",
            ["x = rows", "x = rows.select_for_update()"],
        ),
        ("x = rows.order_by('id')", ["x = rows"]),
        (
            "x = rows.order_by('a', 'b')",
            ["x = rows", "x = rows.order_by('b')", "x = rows.order_by('a')"],
        ),
        ("x = rows.update(a=1)", ["x = rows.update()"]),
        ("x = len(a) != 1", ["x = len(a) == 1"]),
        ("x = a >= b", ["x = a < b", "x = a > b"]),
        ("x = a and b", ["x = b", "x = a"]),
        ("x = not a", ["x = a"]),
        ("x = a if b else c", ["x = a", "x = c"]),
        ("x = [a for a in b if c]", ["x = [a for a in b]"]),
        ("x = rows[:limit]", ["x = rows"]),
        ("record(event)", ["pass"]),
        ("a += 1", ["pass"]),
        ("a[1] = 2", ["pass"]),
        ("x = a + b", ["x = a", "x = b"]),
        ("S = (A, B)", ["S = (B,)", "S = (A,)"]),
        ("T = Transition('t', (A, B))", ["T = Transition('t', (B,))", "T = Transition('t', (A,))"]),
        ("for t in (A, B):\n    pass", ["for t in (B,):\n    pass", "for t in (A,):\n    pass"]),
    ],
)
def test_each_shape_has_its_faults(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_guards_are_dropped_and_turned() -> None:
    assert texts("if broken:\n    raise Error") == [
        "if not broken:\n    raise Error",
        "pass",
    ]


def test_transactions_are_dropped() -> None:
    alone, beside = (
        texts(f"with {items}:\n    work(1)")
        for items in ("transaction.atomic()", "transaction.atomic(), cursor() as c")
    )
    assert "if True:\n    work(1)" in alone
    assert "with cursor() as c:\n    work(1)" in beside


@pytest.mark.parametrize(
    "text",
    [
        "def f(a: int | None) -> str | None:\n    return g(a)",
        "x: int | None = 1",
        "type X = A | B",
        "if TYPE_CHECKING:\n    from a import b",
        "'''A docstring.'''",
        "x = {'a': 1}.get('a', 2)",
        "x = (1, 2)[0]",
    ],
)
def test_types_and_plain_values_are_left_alone(text: str) -> None:
    assert changes(text) == []


def test_a_mutant_says_where_it_is_and_what_it_is() -> None:
    (mutant,) = mutants_of("a.py", "class C:\n    def f(self):\n        return g.filter(x=1)\n")
    assert (mutant.path, mutant.line, mutant.source) == ("a.py", 3, "return g.filter(x=1)")
    assert mutant.name == "a.py C.f: drop `x=1` of filter"


def test_those_that_read_alike_are_told_apart() -> None:
    names = [m.name for m in mutants_of("a.py", "a.filter(x=1)\na.filter(x=1)\n")]
    assert names[0] == "a.py module: drop `a.filter(x=1)`"
    assert len(set(names)) == len(names)


def test_the_core_has_hundreds_each_a_module_with_one_difference() -> None:
    mutants = all_mutants()
    assert len(mutants) > 400
    assert not [name for name, count in Counter(m.name for m in mutants).items() if count > 1]
    for mutant in mutants:
        assert bool(mutant.text) != bool(mutant.sql)
        if mutant.path.endswith(".py") and mutant.text:
            ast.parse(mutant.text)
