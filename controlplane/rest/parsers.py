"""Request bodies: JSON objects within limits, read strictly."""

import json
from collections.abc import Mapping
from typing import IO, Any, Never

from rest_framework.parsers import BaseParser

from controlplane import conf
from controlplane.rest.errors import MalformedJson, PayloadTooLarge

#: Levels that a body may have around what the job limits count (the body, a list, one request).
ENVELOPE = 4
#: Members of objects and elements of lists in one body.
MAX_MEMBERS = 100_000


class JsonParser(BaseParser):
    """One JSON object in UTF-8. Names given twice, NaN and infinities are refused, not guessed."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Raises PayloadTooLarge or MalformedJson, naming the limit."""
        limit = conf.options().max_request_bytes
        raw = stream.read(limit + 1)
        if len(raw) > limit:
            message = f"The body has more than {limit} bytes, which is the limit."
            raise PayloadTooLarge(message, limit=limit)
        return loads(raw)


def loads(raw: bytes) -> dict[str, Any]:
    """A body as a dictionary. Raises MalformedJson."""
    try:
        value = json.loads(raw.decode(), object_pairs_hook=_object, parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8.") from None
    except RecursionError:
        raise MalformedJson(_too_deep()) from None
    except ValueError as error:
        raise MalformedJson(f"The body is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise MalformedJson("The body must be a JSON object.")
    _check_shape(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise MalformedJson(f"The name {twice!r} is given twice in one object.", field=twice)
    return members


def _refuse_constant(name: str) -> Never:
    raise MalformedJson(f"{name} is not JSON.")


def _check_shape(body: dict[str, Any]) -> None:
    """Level by level, so that no depth can exhaust the stack."""
    level: list[Any] = [body]
    depth = members = 0
    while level:
        depth += 1
        children = [
            child
            for value in level
            for child in (value.values() if isinstance(value, dict) else value)
        ]
        members += len(children)
        level = [child for child in children if isinstance(child, dict | list)]
        if depth > _max_depth():
            raise MalformedJson(_too_deep())
        if members > MAX_MEMBERS:
            raise MalformedJson(f"The body has more than {MAX_MEMBERS} members in all.")


def _max_depth() -> int:
    return conf.options().max_json_depth + ENVELOPE


def _too_deep() -> str:
    return f"The body is nested deeper than {_max_depth()} levels."
