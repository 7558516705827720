"""In which orders schedules and their runs can be listed, by the names that query strings use."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import (
    DateTimeField,
    DurationField,
    ExpressionWrapper,
    F,
    OuterRef,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce, Lower

from controlplane.errors import InvalidInput
from controlplane.keyset import Order
from scheduling.models import Firing

#: Stand in for times that do not exist: what never comes, and what never was.
NEVER = datetime(9999, 12, 31, tzinfo=UTC)
LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)
#: Shorter than any run: that of one that has not ended.
_NO_TIME = timedelta(seconds=-1)


def _text(value: Any) -> str:
    if not isinstance(value, str) or "\x00" in value:
        raise ValueError(value)
    return value


def _number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not abs(value) < 2**63:
        raise ValueError(value)
    return value


def _moment(value: Any) -> datetime:
    moment = datetime.fromisoformat(_text(value))
    if moment.tzinfo is None:
        raise ValueError(value)
    return moment


def _span(value: Any) -> timedelta:
    return timedelta(microseconds=_number(value))


def _or_never(name: str, never: datetime) -> Coalesce:
    return Coalesce(F(name), Value(never, DateTimeField()))


def _orders(*found: tuple[str, Any, Any, Any]) -> dict[str, Order]:
    """Each of them both ways; a minus before the name turns it round."""
    return {
        f"{'-' if descending else ''}{name}": Order(
            name=name, key=key, descending=descending, read=read, write=write
        )
        for name, key, read, write in found
        for descending in (False, True)
    }


_LATEST = Firing.objects.filter(schedule_id=OuterRef("id")).order_by("-nominal_time")
_AS_TEXT = datetime.isoformat
_RUN_TIME = ExpressionWrapper(F("finished_at") - F("started_at"), DurationField())

SCHEDULES = _orders(
    ("name", Lower("name"), _text, str),
    ("next", _or_never("next_run_at", NEVER), _moment, _AS_TEXT),
    (
        "last",
        Coalesce(Subquery(_LATEST.values("nominal_time")[:1]), Value(LONG_AGO, DateTimeField())),
        _moment,
        _AS_TEXT,
    ),
    ("created", F("created_at"), _moment, _AS_TEXT),
)
#: `run` is the order in which jobs were made; it alone follows an index, however long the history.
RUNS = _orders(
    ("run", F("job_id"), _number, int),
    ("start", _or_never("started_at", NEVER), _moment, _AS_TEXT),
    ("end", _or_never("finished_at", NEVER), _moment, _AS_TEXT),
    (
        "duration",
        Coalesce(_RUN_TIME, Value(_NO_TIME, DurationField())),
        _span,
        lambda span: span // timedelta(microseconds=1),
    ),
)


def order_of(parameters: Mapping[str, str], orders: Mapping[str, Order], default: str) -> Order:
    """Read `sort`. Raises InvalidInput with the names that are known."""
    name = parameters.get("sort", "").strip() or default
    if name not in orders:
        raise InvalidInput(
            f"sort must be one of {', '.join(orders)}; a minus turns the order round.",
            field="sort",
        )
    return orders[name]
