"""Checks of arguments that the built-in tasks share. Each names the argument and the fault."""

from collections.abc import Mapping
from typing import Any

from jobs.errors import InvalidArguments

#: Linux takes no longer string as one argument or one variable of a program, bytes.
MAX_TEXT_BYTES = 131_000
MAX_ITEMS = 1000


def refuse(field: str, reason: str) -> InvalidArguments:
    """The error to raise for argument `field`."""
    return InvalidArguments(f"{field} {reason}.", field=field)


def text(value: Any, field: str, *, maximum: int = MAX_TEXT_BYTES) -> str:
    """`value` if it is text that can be handed to a program: no NUL, no half surrogate pair."""
    if not isinstance(value, str):
        raise refuse(field, f"must be text, not {_kind(value)}")
    if "\x00" in value:
        raise refuse(field, "contains a NUL character")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise refuse(field, "contains half of a surrogate pair") from None
    if size > maximum:
        raise refuse(field, f"is {size} bytes long; at most {maximum} are allowed")
    return value


def text_list(value: Any, field: str) -> tuple[str, ...]:
    """`value` if it is a list of text."""
    if not isinstance(value, (list, tuple)):
        raise refuse(field, f"must be a list of texts, not {_kind(value)}")
    if len(value) > MAX_ITEMS:
        raise refuse(field, f"has {len(value)} items; at most {MAX_ITEMS} are allowed")
    return tuple(text(item, f"{field}[{index}]") for index, item in enumerate(value))


def text_map(value: Any, field: str) -> dict[str, str]:
    """`value` if it is an object with text values; None counts as empty."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise refuse(field, f"must be an object of texts, not {_kind(value)}")
    if len(value) > MAX_ITEMS:
        raise refuse(field, f"has {len(value)} items; at most {MAX_ITEMS} are allowed")
    return {
        text(name, f"a name in {field}"): text(item, f"{field}.{name}")
        for name, item in value.items()
    }


def whole_numbers(value: Any, field: str, *, minimum: int, maximum: int) -> frozenset[int]:
    """`value` if it is a list, not empty, of whole numbers within the bounds."""
    if not isinstance(value, (list, tuple)) or not value:
        raise refuse(field, "must be a list of at least one whole number")
    for number in value:
        if isinstance(number, bool) or not isinstance(number, int):
            raise refuse(field, f"must hold whole numbers, not {_kind(number)}")
        if not minimum <= number <= maximum:
            raise refuse(field, f"must hold numbers from {minimum} to {maximum}, not {number}")
    return frozenset(value)


def _kind(value: Any) -> str:
    return "null" if value is None else type(value).__name__
