"""The orders that query strings may name, and that their cursors come back as they were."""

from datetime import UTC, datetime, timedelta

import pytest

from controlplane.errors import InvalidInput
from scheduling.orders import RUNS, SCHEDULES, order_of


def test_each_order_goes_both_ways() -> None:
    assert order_of({"sort": "-name"}, SCHEDULES, "name").descending
    assert not order_of({}, SCHEDULES, "name").descending
    assert order_of({}, RUNS, "-run").descending
    with pytest.raises(InvalidInput, match="sort must be one of name, -name, next"):
        order_of({"sort": "age"}, SCHEDULES, "name")


@pytest.mark.parametrize(
    ("order", "value"),
    [
        (SCHEDULES["name"], "a\u2028"),
        (SCHEDULES["next"], datetime(2026, 11, 30, 8, 0, 0, 1, tzinfo=UTC)),
        (RUNS["run"], 7),
        (RUNS["duration"], timedelta(days=1, microseconds=3)),
    ],
)
def test_a_value_comes_back_from_a_cursor(order: object, value: object) -> None:
    assert order.read(order.write(value)) == value  # type: ignore[attr-defined]


@pytest.mark.parametrize("value", [None, True, [], "x", 1e9, 2**70, "2026-11-30T08:00", "a\x00"])
def test_a_value_of_another_kind_is_refused(value: object) -> None:
    for name in ("next", "last", "created"):
        with pytest.raises(ValueError):
            SCHEDULES[name].read(value)
    for name in ("run", "duration"):
        with pytest.raises(ValueError):
            RUNS[name].read(value)
