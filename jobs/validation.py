"""What may be stored as JSON, and whether arguments fit a task. One check for every door and every
result.
"""

import inspect
import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from django.tasks import Task
from django.utils.json import normalize_json

from controlplane import conf
from jobs.errors import InvalidArguments, InvalidJson

#: PostgreSQL's numeric holds far more, but Python refuses to print longer numbers.
MAX_INTEGER_BITS = 4096

#: json.dumps makes an encoder at each call when the separators are not its own.
_encoded = json.JSONEncoder(separators=(",", ":")).encode


def json_text(value: Any, *, field: str) -> str:
    """`value` as JSON text that PostgreSQL's jsonb takes.

    Raises InvalidJson, naming the place and the limit, for anything else: NUL, lone surrogates, NaN
    and infinities, keys that are not strings, other types, too deep or too large a value.
    """
    limits = conf.options()
    # What Django's interface cannot convert, the check below refuses by name.
    with suppress(TypeError, ValueError, RecursionError):
        value = normalize_json(value)
    _check(value, field, limits.max_json_depth)
    text = _encoded(value)
    if len(text) > limits.max_json_bytes:
        raise InvalidJson(
            f"{field} is {len(text)} bytes of JSON; at most {limits.max_json_bytes} are allowed.",
            field=field,
        )
    return text


def _check(value: Any, place: str, depth: int) -> None:
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        _check_text(value, place)
    elif isinstance(value, int):
        if value.bit_length() > MAX_INTEGER_BITS:
            raise InvalidJson(
                f"{place} is an integer of over {MAX_INTEGER_BITS} bits.", field=place
            )
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidJson(f"{place} is {value}, which JSON does not know.", field=place)
    elif isinstance(value, (list, tuple, dict)):
        if depth <= 0:
            limit = conf.options().max_json_depth
            raise InvalidJson(f"{place} is nested deeper than {limit} levels.", field=place)
        _check_members(value, place, depth)
    else:
        raise InvalidJson(f"{place} is a {type(value).__name__}, which is not JSON.", field=place)


def _check_members(
    value: list[Any] | tuple[Any, ...] | dict[Any, Any], place: str, depth: int
) -> None:
    if isinstance(value, dict):
        for key, member in value.items():
            if not isinstance(key, str):
                raise InvalidJson(f"{place} has a key {key!r} that is not a string.", field=place)
            _check_text(key, f"a key of {place}")
            _check(member, f"{place}.{key}", depth - 1)
    else:
        for index, member in enumerate(value):
            _check(member, f"{place}[{index}]", depth - 1)


def _check_text(text: str, place: str) -> None:
    if "\x00" in text:
        raise InvalidJson(f"{place} contains a NUL character.", field=place)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InvalidJson(f"{place} contains half of a surrogate pair.", field=place) from None


def bind_arguments(task: Task, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by parameter name, as the task will receive them.

    Raises InvalidArguments naming the argument that is missing, unknown or given twice.
    """
    given = (None, *args) if task.takes_context else tuple(args)
    try:
        bound = _signature(task.func).bind(*given, **kwargs)
    except TypeError as error:
        raise InvalidArguments(
            f"{task.name}: {error}.", field=_argument_named(str(error))
        ) from None
    if task.takes_context:
        bound.arguments.pop("context", None)
    return dict(bound.arguments)


@cache
def _signature(func: Callable[..., Any]) -> inspect.Signature:
    """Asked for at each job; there are as many as there are tasks."""
    return inspect.signature(func)


def _argument_named(message: str) -> str:
    """The name between quotes in Python's own message, which names the parameter."""
    parts = message.split("'")
    return parts[1] if len(parts) >= 3 else "arguments"


def plain_text(value: str, *, field: str, maximum: int, minimum: int = 0) -> str:
    """A short text for a column. Raises InvalidArguments for NUL, surrogates, a wrong length."""
    if not isinstance(value, str):
        raise InvalidArguments(f"{field} must be text.", field=field)
    try:
        _check_text(value, field)
    except InvalidJson as error:
        raise InvalidArguments(error.message, field=field) from None
    if len(value) < minimum:
        raise InvalidArguments(f"{field} must not be empty.", field=field)
    if len(value) > maximum:
        raise InvalidArguments(
            f"{field} has {len(value)} characters; at most {maximum} are allowed.", field=field
        )
    return value
