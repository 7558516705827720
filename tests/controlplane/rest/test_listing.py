"""Query strings and the pages that they ask for."""

import pytest
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from controlplane.errors import InvalidInput
from controlplane.pagination import Page
from controlplane.rest.listing import check_parameters, chosen, paged


def asking(query: str) -> Request:
    return Request(APIRequestFactory().get(f"/things?{query}"))


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("stauts=x", "stauts"),
        ("status=a&status=b", "status"),
        ("status=", "status"),
        ("status=%00", "status"),
        (f"status={'x' * 1_001}", "status"),
        ("status__password__startswith=x", "status__password__startswith"),
    ],
)
def test_a_parameter_that_cannot_be_is_refused_by_name(query: str, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_parameters(asking(query), {"status"})
    assert caught.value.field == field


def test_known_parameters_pass() -> None:
    check_parameters(asking("status=x&page_size=1"), {"status", "page_size"})


def test_a_page_leads_to_its_neighbours_with_the_filters_kept() -> None:
    page = Page([3, 2], newer=3, older=2)
    answer = paged(asking("status=x&page_size=2&before=4"), page, [{"id": 3}, {"id": 2}])
    assert answer.data == {
        "items": [{"id": 3}, {"id": 2}],
        "next": "/things?status=x&page_size=2&before=2",
        "previous": "/things?status=x&page_size=2&after=3",
    }


def test_the_last_page_leads_nowhere() -> None:
    answer = paged(asking(""), Page([], newer=None, older=None), [])
    assert answer.data == {"items": [], "next": None, "previous": None}


def test_fields_are_chosen_in_the_order_asked_for() -> None:
    assert list(chosen(asking("fields=b,a"), {"a": 1, "b": 2, "c": 3})) == ["b", "a"]
    assert chosen(asking("fields="), {"a": 1}) == {"a": 1}


def test_a_field_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidInput, match="Known are: a, b"):
        chosen(asking("fields=owner__password"), {"a": 1, "b": 2})
