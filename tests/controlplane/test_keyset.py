"""Keyset paging in any order: every row once, whatever the values, forwards and back."""

import pytest
from django.db.models import F
from django.db.models.functions import Lower

from controlplane.errors import InvalidInput
from controlplane.keyset import Cursor, Order, SortedPage, cursor_of, sorted_page
from jobs.models import Queue

pytestmark = pytest.mark.django_db


def text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(value)
    return value


def order(*, descending: bool = False) -> Order:
    return Order(name="name", key=Lower("name"), descending=descending, write=str, read=text)


def page(by: Order, cursor: Cursor | None = None, size: int = 2) -> SortedPage[Queue]:
    return sorted_page(Queue.objects.all(), by, cursor, size)


def names(found: SortedPage[Queue]) -> list[str]:
    return [queue.name for queue in found.items]


@pytest.fixture
def queues() -> None:
    for name in ("b", "B ", "a", "d", "c"):
        Queue.objects.create(name=name)


@pytest.mark.parametrize("descending", [False, True])
def test_pages_follow_each_other_both_ways(queues: None, descending: bool) -> None:
    by = order(descending=descending)
    everything = names(page(by, size=10))
    assert sorted(everything, reverse=descending, key=str.lower) == everything
    first = page(by)
    second = page(by, cursor_of({"from": first.next}, by))
    third = page(by, cursor_of({"from": second.next}, by))
    assert names(first) + names(second) + names(third) == everything
    assert (first.previous, third.next) == ("", "")
    back = page(by, cursor_of({"back": third.previous}, by))
    assert names(back) == names(second)
    start = page(by, cursor_of({"back": back.previous}, by))
    assert (names(start), start.previous) == (names(first), "")


def test_equal_values_go_by_id_and_none_is_lost() -> None:
    for number in range(5):
        Queue.objects.create(name=f"q{number}", paused_by="same")
    by = Order(name="by", key=F("paused_by"), descending=True, write=str, read=text)
    seen: list[str] = []
    cursor: Cursor | None = None
    for _ in range(3):
        found = page(by, cursor)
        seen += names(found)
        cursor = cursor_of({"from": found.next}, by)
    assert seen == ["q4", "q3", "q2", "q1", "q0"]
    assert cursor is None


def test_an_empty_list_has_no_other_pages() -> None:
    assert page(order()) == SortedPage([], "", "")


@pytest.mark.parametrize(
    "cursor", ["x", "!!", "bnVsbA", "WzEsMV0", "W10", "WyJhIiwtMV0", "WyJhIix0cnVlXQ", "a" * 2000]
)
@pytest.mark.parametrize("side", ["from", "back"])
def test_what_no_page_gave_out_is_refused(cursor: str, side: str) -> None:
    with pytest.raises(InvalidInput, match=f"{side} is not a position"):
        cursor_of({side: cursor}, order())


def test_a_page_begins_on_one_side_only() -> None:
    with pytest.raises(InvalidInput, match="not both"):
        cursor_of({"from": "a", "back": "b"}, order())
