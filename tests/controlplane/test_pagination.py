import pytest
from django.http import QueryDict

from controlplane.errors import InvalidInput
from controlplane.pagination import DEFAULT_SIZE, MAX_ID, Page, PageRequest, page_request, paginate
from jobs.models import Worker
from tests.factories import make_worker


@pytest.fixture
def ids(db: None) -> list[int]:
    """Of seven rows, the newest one first."""
    return [make_worker().id for _ in range(7)][::-1]


def page(**wanted: int) -> Page[Worker]:
    return paginate(Worker.objects.all(), PageRequest(**{"size": 3, **wanted}))


def shown(found: Page[Worker]) -> list[int]:
    return [row.id for row in found.items]


def test_the_first_page_holds_the_newest_rows(ids: list[int]) -> None:
    first = page()
    assert shown(first) == ids[:3]
    assert (first.newer, first.older) == (None, ids[2])


def test_older_pages_follow_without_gap_or_repetition_to_the_end(ids: list[int]) -> None:
    seen, cursor = shown(page()), page().older
    while cursor is not None:
        found = page(before=cursor)
        seen += shown(found)
        cursor = found.older
    assert seen == ids


def test_newer_leads_back_to_the_page_one_came_from(ids: list[int]) -> None:
    second = page(before=ids[2])
    assert second.newer is not None
    assert shown(page(after=second.newer)) == ids[:3]


def test_a_row_that_arrives_meanwhile_shifts_nothing(ids: list[int]) -> None:
    cursor = page().older
    make_worker()
    assert cursor is not None
    assert shown(page(before=cursor)) == ids[3:6]


def test_a_page_towards_newer_rows_that_is_not_full_stays_short_for_a_script(
    ids: list[int],
) -> None:
    found = page(after=ids[1])
    assert (shown(found), found.newer, found.older) == (ids[:1], None, ids[0])


def test_a_person_gets_the_newest_page_instead(ids: list[int]) -> None:
    wanted = PageRequest(after=ids[1], size=3)
    assert shown(paginate(Worker.objects.all(), wanted, fill=True)) == ids[:3]


def test_beyond_either_end_a_page_is_empty_and_leads_back(ids: list[int]) -> None:
    below, above = page(before=ids[-1]), page(after=ids[0])
    assert below.newer is not None
    assert above.older is not None
    assert (shown(below), shown(above)) == ([], [])
    assert shown(page(after=below.newer))[-1] == ids[-1]
    assert shown(page(before=above.older))[0] == ids[0]


def test_the_order_of_the_rows_given_does_not_matter(ids: list[int]) -> None:
    assert shown(paginate(Worker.objects.order_by("host"), PageRequest(size=3))) == ids[:3]


@pytest.mark.django_db
@pytest.mark.parametrize("wanted", [{"before": 0}, {"after": 0}, {"after": MAX_ID}])
def test_the_outermost_cursors_are_answered(wanted: dict[str, int]) -> None:
    assert page(**wanted).items == []


def test_nothing_given_means_the_first_page_of_the_usual_size() -> None:
    assert page_request(QueryDict("before=&after=")) == PageRequest(None, None, DEFAULT_SIZE)


def test_cursors_and_size_are_read() -> None:
    assert page_request(QueryDict("before=12&page_size=200")) == PageRequest(12, None, 200)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("before=null", "before"),
        ("before=-1", "before"),
        ("before=1e9", "before"),
        ("before=%00", "before"),
        ("before=%ff", "before"),
        ("before=9223372036854775808", "before"),
        (f"before={'9' * 5000}", "before"),
        ("after=%D9%A3", "after"),
        ("after=1.0", "after"),
        ("before=5&after=3", "before"),
        ("page_size=0", "page_size"),
        ("page_size=201", "page_size"),
        ("page_size=ten", "page_size"),
    ],
)
def test_what_cannot_be_is_refused_with_its_name(query: str, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        page_request(QueryDict(query))
    assert refused.value.field == field
    assert field in refused.value.message
