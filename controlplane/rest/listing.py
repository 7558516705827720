"""Lists and their query strings: one page, links to its neighbours, a choice of fields."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.errors import InvalidInput
from controlplane.pagination import Page

#: Parameters of every list.
PAGING = frozenset({"before", "after", "page_size"})
#: Characters of a query parameter.
MAX_PARAMETER = 1_000


def check_parameters(request: Request, known: Collection[str]) -> None:
    """Refuse a query parameter that nobody reads, or that is given twice. Raises InvalidInput.

    A misspelt or empty filter that were ignored would give a script everything instead of a few.
    """
    for name, values in request.query_params.lists():
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            message = f"There is no such parameter. Known here are: {listed}."
            raise InvalidInput(message, field=name[:100])
        if len(values) > 1:
            message = f"{name} is given {len(values)} times; give it once."
            raise InvalidInput(message, field=name)
        if not values[0]:
            raise InvalidInput(f"{name} is empty; leave it out.", field=name)
        if len(values[0]) > MAX_PARAMETER or "\x00" in values[0]:
            message = f"{name} must have at most {MAX_PARAMETER} characters, none of them NUL."
            raise InvalidInput(message, field=name)


def paged(request: Request, page: Page[Any], items: Iterable[Mapping[str, Any]]) -> Response:
    """A page as an answer; `next` leads to older rows, `previous` to newer ones."""
    body = {
        "items": [chosen(request, item) for item in items],
        "next": _link(request, "before", page.older),
        "previous": _link(request, "after", page.newer),
    }
    return Response(body)


def chosen(request: Request, item: Mapping[str, Any]) -> dict[str, Any]:
    """The members that `?fields=` names, or all. Raises InvalidInput for one that is not there."""
    wanted = [name for name in request.query_params.get("fields", "").split(",") if name]
    for name in wanted:
        if name not in item:
            message = f"There is no field {name[:50]!r}. Known are: {', '.join(item)}."
            raise InvalidInput(message, field="fields")
    return {name: item[name] for name in wanted} if wanted else dict(item)


def _link(request: Request, name: str, cursor: int | None) -> str | None:
    """The same list from another cursor on, as path and query."""
    if cursor is None:
        return None
    kept = {key: value for key, value in request.query_params.items() if key not in PAGING}
    if size := request.query_params.get("page_size"):
        kept["page_size"] = size
    return f"{request.path}?{urlencode({**kept, name: str(cursor)})}"
