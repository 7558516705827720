from typing import Any

import pytest

from jobs.errors import InvalidArguments
from jobs.tasks import argument_checks as checks


def test_what_fits_is_given_back() -> None:
    assert checks.text("é", "a") == "é"
    assert checks.text_list(["a", ""], "a") == ("a", "")
    assert checks.text_map({"a": "b"}, "a") == {"a": "b"}
    assert checks.text_map(None, "a") == {}
    assert checks.whole_numbers([1, 2, 2], "a", minimum=1, maximum=2) == {1, 2}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "note must be text, not null."),
        (1, "note must be text, not int."),
        ("a\x00b", "note contains a NUL character."),
        ("\udc00", "note contains half of a surrogate pair."),
        ("ééé", "note is 6 bytes long; at most 5 are allowed."),
    ],
)
def test_text_that_does_not_fit_is_refused_with_the_reason(value: Any, reason: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        checks.text(value, "note", maximum=5)
    assert caught.value.message == reason
    assert caught.value.field == "note"


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ("a", "words"),
        (None, "words"),
        ({"a": 1}, "words"),
        ([1], "words[0]"),
        (["a"] * 1001, "words"),
    ],
)
def test_a_list_that_does_not_fit_is_refused_at_its_place(value: Any, field: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        checks.text_list(value, "words")
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ("a", "names"),
        ([], "names"),
        ({"a": 1}, "names.a"),
        ({1: "a"}, "a name in names"),
        ({str(n): "a" for n in range(1001)}, "names"),
    ],
)
def test_a_map_that_does_not_fit_is_refused_at_its_place(value: Any, field: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        checks.text_map(value, "names")
    assert caught.value.field == field


@pytest.mark.parametrize("value", [[], None, 1, "1", [True], [1.0], ["1"], [0], [4], [1, 4]])
def test_numbers_that_do_not_fit_are_refused(value: Any) -> None:
    with pytest.raises(InvalidArguments, match="numbers must"):
        checks.whole_numbers(value, "numbers", minimum=1, maximum=3)
