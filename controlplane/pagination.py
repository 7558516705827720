"""Keyset paging by descending id, for pages and API alike: rows that arrive shift nothing."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Model, QuerySet

from controlplane.errors import InvalidInput

DEFAULT_SIZE = 50
MAX_SIZE = 200
#: The largest id that the database can hold.
MAX_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which page: rows with ids below `before`, or those next above `after`, or the newest ones."""

    before: int | None = None
    after: int | None = None
    size: int = DEFAULT_SIZE


@dataclass(frozen=True, slots=True)
class Page[T]:
    """Rows by descending id, and the cursors of the pages on either side where there are any."""

    items: list[T]
    #: Value of `after` for newer rows.
    newer: int | None
    #: Value of `before` for older rows.
    older: int | None


def page_request(parameters: Mapping[str, str]) -> PageRequest:
    """Read `before`, `after` and `page_size`. Raises InvalidInput naming the field."""
    before = _number(parameters, "before", 0, MAX_ID)
    after = _number(parameters, "after", 0, MAX_ID)
    if before is not None and after is not None:
        raise InvalidInput("Give either before or after, not both.", field="before")
    size = _number(parameters, "page_size", 1, MAX_SIZE)
    return PageRequest(before, after, DEFAULT_SIZE if size is None else size)


def paginate[M: Model](rows: QuerySet[M], wanted: PageRequest, *, fill: bool = False) -> Page[M]:
    """One page of `rows`, which must have an integer primary key; their order is replaced.

    `fill` gives the newest page instead of one towards newer rows that would not be full: right for
    a person, wrong for a script that asks what is new.
    """
    if wanted.after is None:
        return _towards_older(rows, wanted.before, wanted.size)
    page = _towards_newer(rows, wanted.after, wanted.size)
    if fill and page.newer is None:
        return _towards_older(rows, None, wanted.size)
    return page


def _towards_older[M: Model](rows: QuerySet[M], before: int | None, size: int) -> Page[M]:
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows.order_by("-pk")[: size + 1])
    items = found[:size]
    older = items[-1].pk if len(found) > size else None
    if before is None:
        return Page(items, newer=None, older=older)
    return Page(items, newer=items[0].pk if items else max(before - 1, 0), older=older)


def _towards_newer[M: Model](rows: QuerySet[M], after: int, size: int) -> Page[M]:
    found = list(rows.filter(pk__gt=after).order_by("pk")[: size + 1])
    items = found[:size][::-1]
    newer = items[0].pk if len(found) > size else None
    return Page(items, newer=newer, older=items[-1].pk if items else min(after + 1, MAX_ID))


def _number(parameters: Mapping[str, str], name: str, minimum: int, maximum: int) -> int | None:
    """A whole number within bounds; None when it is missing or empty."""
    raw = parameters.get(name, "").strip()
    if not raw:
        return None
    plain = raw.isascii() and raw.isdigit() and len(raw) <= len(str(maximum))
    if not plain or not minimum <= int(raw) <= maximum:
        message = f"{name} must be a whole number from {minimum} to {maximum}."
        raise InvalidInput(message, field=name)
    return int(raw)
