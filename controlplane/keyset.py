"""Keyset paging in any order: by a value, then by id. Rows that arrive or leave shift nothing."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, Q, QuerySet

from controlplane.errors import InvalidInput

#: Longest cursor read, characters.
MAX_CURSOR = 1000
#: The name under which the value is annotated.
KEY = "sort_key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order of a list: by an expression that is never null, then by id in the same direction.

    `write` puts a value of it into JSON, `read` takes it out and raises ValueError for any other.
    """

    name: str
    key: Any
    descending: bool
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page begins or ends: rows beyond this value and id, towards the end or back."""

    value: Any
    id: int
    backwards: bool


@dataclass(frozen=True, slots=True)
class SortedPage[M: Model]:
    """Rows in order; `previous` and `next` are values of `back` and `from`, empty without rows."""

    items: list[M]
    previous: str
    next: str


def cursor_of(parameters: Mapping[str, str], order: Order) -> Cursor | None:
    """Read `from` or `back`. Raises InvalidInput for both, and for what no page has given out."""
    forwards, backwards = parameters.get("from", ""), parameters.get("back", "")
    if forwards and backwards:
        raise InvalidInput("Give either from or back, not both.", field="from")
    if not forwards and not backwards:
        return None
    field = "back" if backwards else "from"
    try:
        value, id_ = _unpacked(forwards or backwards)
        return Cursor(order.read(value), id_, bool(backwards))
    except (ValueError, TypeError, binascii.Error, RecursionError):
        raise InvalidInput(
            f"{field} is not a position in this list; go back to its beginning.", field=field
        ) from None


def sorted_page[M: Model](
    rows: QuerySet[M], order: Order, cursor: Cursor | None, size: int
) -> SortedPage[M]:
    """One page of `rows`, whose own order is replaced."""
    rows = rows.annotate(**{KEY: order.key})
    back = cursor is not None and cursor.backwards
    descending = order.descending != back
    if cursor is not None:
        rows = rows.filter(_beyond(cursor, descending))
    sign = "-" if descending else ""
    found = list(rows.order_by(f"{sign}{KEY}", f"{sign}pk")[: size + 1])
    more, items = len(found) > size, found[:size]
    if back:
        items.reverse()
    first, last = (_packed(items[0], order), _packed(items[-1], order)) if items else ("", "")
    if back:
        return SortedPage(items, first if more else "", last)
    return SortedPage(items, first if cursor is not None else "", last if more else "")


def _beyond(cursor: Cursor, descending: bool) -> Q:
    step = "lt" if descending else "gt"
    ties = Q(**{KEY: cursor.value, f"pk__{step}": cursor.id})
    return Q(**{f"{KEY}__{step}": cursor.value}) | ties


def _packed(row: Model, order: Order) -> str:
    text = json.dumps([order.write(getattr(row, KEY)), row.pk], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _unpacked(text: str) -> tuple[Any, int]:
    if len(text) > MAX_CURSOR:
        raise ValueError(text)
    padded = text + "=" * (-len(text) % 4)
    value, id_ = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    if isinstance(id_, bool) or not isinstance(id_, int) or not 0 <= id_ < 2**63:
        raise ValueError(id_)
    return value, id_
