"""Whether JSON values are of the types that a task's signature names."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Literal, TypedDict
from uuid import UUID

import pytest
from django.tasks import task

from jobs.errors import InvalidArguments
from jobs.registry import task_named
from scheduling.argument_types import check_types, fits, words_of


class Shape(TypedDict):
    size: int


@pytest.mark.parametrize(
    ("hint", "right", "wrong"),
    [
        (int, [0, -5], [True, 1.0, "1", None, []]),
        (float, [0, 1.5], [True, "1", None]),
        (bool, [True, False], [0, 1, "true"]),
        (str, ["", "x"], [1, None, ["x"]]),
        (None, [None], [0, ""]),
        (int | None, [1, None], ["1"]),
        (Literal["a", 1], ["a", 1], ["b", True, "1"]),
        (list, [[], [1, "x"]], [{}, "x", None]),
        (list[int], [[], [1]], [["1"], [True]]),
        (Sequence[str], [["x"]], [[1], "x"]),
        (tuple[int, ...], [[1, 2]], [["x"]]),
        (tuple[int, str], [[1, "x"], ["odd", 1]], [1]),
        (dict[str, int], [{}, {"a": 1}], [{"a": "1"}, []]),
        (Mapping[str, Any], [{"a": "1"}], [1]),
        (Shape, [{"size": 1}], [[1]]),
        (Annotated[int, "years"], [1], ["1"]),
        (Any, [None, 1, "x"], []),
        (object, [None, 1, "x"], []),
        (date, ["2026-11-30", 1], []),
        (UUID, ["x"], []),
    ],
)
def test_what_fits_and_what_does_not(hint: Any, right: list[Any], wrong: list[Any]) -> None:
    assert [value for value in right if not fits(value, hint)] == []
    assert [value for value in wrong if fits(value, hint)] == []


def test_types_are_told_in_words() -> None:
    hints = (
        int,
        str | None,
        list[int],
        dict[str, int],
        Literal["a", "b"],
        Annotated[bool, 1],
        date,
    )
    assert [words_of(hint) for hint in hints] == [
        "a whole number",
        "a text or null",
        "a list, each a whole number",
        "an object",
        "one of 'a', 'b'",
        "true or false",
        "date",
    ]


def test_the_argument_at_fault_is_named() -> None:
    add = task_named("tests.sample_app.tasks.add")
    check_types(add, {"a": 1, "b": 2})
    with pytest.raises(InvalidArguments, match="a must be a whole number, not a text") as refused:
        check_types(add, {"a": "1"})
    assert refused.value.field == "a"


@task
def collects(*numbers: int, **words: str) -> None:
    """Any number of either."""


@task
def unreadable(a: "NoSuchType") -> None:  # type: ignore[name-defined]  # noqa: F821
    """Its annotations cannot be resolved."""


def test_each_of_several_is_judged() -> None:
    check_types(collects, {"numbers": (1, 2), "words": {"a": "x"}})
    for arguments in ({"numbers": (1, "2")}, {"words": {"a": 1}}):
        with pytest.raises(InvalidArguments):
            check_types(collects, arguments)


def test_annotations_that_cannot_be_read_bind_nobody() -> None:
    check_types(unreadable, {"a": 1})
