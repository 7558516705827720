"""Whether JSON values are of the types that a task's signature names.

Only types that JSON has are judged; of any other (a date, a class of the task's own) the task
itself has to make something.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from django.tasks import Task

from jobs.errors import InvalidArguments

#: Types of Python, and what people call the JSON that stands for them.
_WORDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    types.NoneType: "null",
    list: "a list",
    dict: "an object",
}
_LISTS = (list, tuple, set, frozenset, Sequence, Iterable)


def check_types(task: Task[..., Any], arguments: Mapping[str, Any]) -> None:
    """`arguments` by parameter name, as bound. Raises InvalidArguments naming the one at fault."""
    try:
        hints = typing.get_type_hints(task.func)
    except Exception:  # noqa: BLE001 - whatever a stranger's annotations raise; they bind nobody
        return
    parameters = inspect.signature(task.func).parameters
    for name, value in arguments.items():
        if name not in hints or name not in parameters:
            continue
        for given in _given(parameters[name], value):
            if not fits(given, hints[name]):
                raise InvalidArguments(
                    f"{task.name}: {name} must be {words_of(hints[name])}, not {_told(given)}.",
                    field=name,
                )


def fits(value: Any, hint: Any) -> bool:
    """Whether a JSON value is of this type, as far as that can be told."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return fits(value, inner[0])
    if origin in (Union, types.UnionType):
        return any(fits(value, choice) for choice in inner)
    if origin is Literal:
        return any(value == choice and type(value) is type(choice) for choice in inner)
    kind = _kind(origin or hint)
    if kind is list:
        items = inner[0] if inner and _is_uniform(origin, inner) else Any
        return isinstance(value, list) and all(fits(item, items) for item in value)
    if kind is dict:
        values = inner[1] if len(inner) == 2 else Any
        return isinstance(value, dict) and all(fits(item, values) for item in value.values())
    return _is_plain(value, kind)


def words_of(hint: Any) -> str:
    """A type as people say it."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return words_of(inner[0])
    if origin in (Union, types.UnionType):
        return " or ".join(words_of(choice) for choice in inner)
    if origin is Literal:
        return "one of " + ", ".join(map(repr, inner))
    kind = _kind(origin or hint)
    if kind is list and inner and _is_uniform(origin, inner) and inner[0] in _WORDS:
        return f"a list, each {words_of(inner[0])}"
    return _WORDS.get(kind, getattr(hint, "__name__", str(hint)))


def _kind(hint: Any) -> Any:
    """The plain type that a hint comes down to: list and dict stand for their like."""
    if hint is None:
        return types.NoneType
    if not isinstance(hint, type):
        return hint
    if typing.is_typeddict(hint) or issubclass(hint, Mapping):
        return dict
    if hint in _LISTS or (issubclass(hint, (list, tuple, set, frozenset))):
        return list
    return hint


def _is_uniform(origin: Any, inner: tuple[Any, ...]) -> bool:
    return origin is not tuple or (len(inner) == 2 and inner[1] is Ellipsis)


def _is_plain(value: Any, kind: Any) -> bool:
    if kind not in _WORDS:
        return True
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, kind)


def _given(parameter: inspect.Parameter, value: Any) -> Iterable[Any]:
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return tuple(value)
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return tuple(value.values())
    return (value,)


def _told(value: Any) -> str:
    return _WORDS.get(type(value), type(value).__name__)
