"""What may be stored as JSON and what fits a task: each refusal names the place and the limit."""

import json
import threading
from datetime import UTC, datetime
from enum import IntEnum, StrEnum
from typing import Any

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from jobs.errors import InvalidArguments, InvalidJson
from jobs.validation import bind_arguments, json_text, plain_text
from tests.sample_app import tasks
from tests.third_party_app.tasks import greet


class Colour(StrEnum):
    RED = "red"


class Number(IntEnum):
    TWO = 2


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def loop() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def refused(value: Any) -> InvalidJson:
    with pytest.raises(InvalidJson) as caught:
        json_text(value, field="args")
    return caught.value


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        -1,
        2**4000,
        1.5,
        "",
        "äöü \U0001f600",
        [],
        {},
        [[]],
        {"": {"a": [None]}},
    ],
)
def test_json_passes_as_it_is(value: Any) -> None:
    assert json.loads(json_text(value, field="args")) == value


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ((1, (2,)), [1, [2]]),
        (b"bytes", "bytes"),
        ({"key": (b"x",)}, {"key": ["x"]}),
        (Colour.RED, "red"),
        (Number.TWO, 2),
        (range(3), [0, 1, 2]),
    ],
)
def test_what_djangos_interface_converts_is_converted(value: Any, stored: Any) -> None:
    assert json.loads(json_text(value, field="args")) == stored


@pytest.mark.parametrize(
    ("value", "place", "what"),
    [
        (["a", "b\x00"], "args[1]", "NUL"),
        ({"a": [{"b": "\x00"}]}, "args.a[0].b", "NUL"),
        ({"a\x00": 1}, "a key of args", "NUL"),
        ("\ud800", "args", "surrogate"),
        (["\udfff"], "args[0]", "surrogate"),
        ({"\ud800": 1}, "a key of args", "surrogate"),
        ([float("nan")], "args[0]", "nan"),
        ([float("inf")], "args[0]", "inf"),
        ({"x": -float("inf")}, "args.x", "-inf"),
        ({1: "a"}, "args", "key 1"),
        ({"x": {None: 1}}, "args.x", "key None"),
        ([object()], "args[0]", "object"),
        ([{"x": {1, 2}}], "args[0].x", "set"),
        ([datetime(2026, 1, 1, tzinfo=UTC)], "args[0]", "datetime"),
        ([b"\xff"], "args[0]", "bytes"),
        ({"lock": threading.Lock()}, "args.lock", "lock"),
        ([1j], "args[0]", "complex"),
        (2**4096, "args", "4096 bits"),
        (-(2**5000), "args", "4096 bits"),
    ],
)
def test_a_refusal_names_the_place_and_the_fault(value: Any, place: str, what: str) -> None:
    error = refused(value)
    assert error.field == place
    assert place in error.message
    assert what in error.message


def test_depth_has_a_limit_which_the_refusal_names() -> None:
    json_text(nested(32), field="args")
    assert "32 levels" in refused(nested(33)).message
    assert "32 levels" in refused(nested(100_000)).message
    assert "32 levels" in refused(loop()).message
    assert "32 levels" in refused({"a": nested(32)}).message


def test_depth_counts_containers_not_what_lies_in_them(settings: Settings) -> None:
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"max_json_depth": 2}
    json_text({"a": [1, "x", None]}, field="args")
    assert "2 levels" in refused({"a": [[]]}).message


def test_size_has_a_limit_which_the_refusal_names(settings: Settings) -> None:
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"max_json_bytes": 10}
    assert json_text("x" * 8, field="args") == '"xxxxxxxx"'
    error = refused("x" * 9)
    assert error.message == "args is 11 bytes of JSON; at most 10 are allowed."
    assert error.field == "args"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@pytest.mark.django_db
@given(json_values)
def test_what_is_accepted_the_database_takes_too(value: Any) -> None:
    try:
        text = json_text(value, field="args")
    except InvalidJson:
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::jsonb = %s::jsonb", [text, json.dumps(value)])
        assert cursor.fetchone() == (True,)


def test_arguments_are_bound_by_name() -> None:
    assert bind_arguments(tasks.add, [1], {"b": 2}) == {"a": 1, "b": 2}
    assert bind_arguments(tasks.add, (1,), {}) == {"a": 1}
    assert bind_arguments(greet, ["Ada"], {"punctuation": "?"}) == {
        "name": "Ada",
        "punctuation": "?",
    }


def test_the_context_is_no_argument_of_the_callers() -> None:
    assert bind_arguments(tasks.report_progress, [3], {}) == {"steps": 3}
    with pytest.raises(InvalidArguments, match="context"):
        bind_arguments(tasks.report_progress, [3], {"context": 1})


@pytest.mark.parametrize(
    ("args", "kwargs", "field"),
    [
        ([], {}, "a"),
        ([], {"b": 1}, "a"),
        ([1], {"a": 1}, "a"),
        ([1], {"c": 1}, "c"),
        ([1, 2, 3], {}, "arguments"),
        ([1], {3: 1}, "arguments"),
    ],
)
def test_arguments_that_do_not_fit_are_named(
    args: list[Any], kwargs: dict[Any, Any], field: str
) -> None:
    with pytest.raises(InvalidArguments) as caught:
        bind_arguments(tasks.add, args, kwargs)
    assert caught.value.field == field
    assert caught.value.message.startswith("add: ")


def test_plain_text_within_its_bounds_passes() -> None:
    assert plain_text("äö", field="name", minimum=1, maximum=2) == "äö"
    assert plain_text("", field="name", maximum=2) == ""


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a\x00", "name contains a NUL character."),
        ("\ud800", "name contains half of a surrogate pair."),
        ("abcd", "name has 4 characters; at most 3 are allowed."),
        ("", "name must not be empty."),
        (3, "name must be text."),
        (None, "name must be text."),
    ],
)
def test_plain_text_that_does_not_fit_is_refused(text: Any, what: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        plain_text(text, field="name", minimum=1, maximum=3)
    assert (caught.value.message, caught.value.field) == (what, "name")
