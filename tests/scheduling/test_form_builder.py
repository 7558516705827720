"""The visual builder's fields in a form."""

import pytest
from django.http import QueryDict

from scheduling.errors import InvalidCron
from scheduling.form_builder import builder_fields, built_cron


def test_posted_fields_make_an_expression() -> None:
    query = "builder_kind=weekly&builder_clock=07:15&builder_weekdays=1&builder_weekdays=5"
    assert built_cron(QueryDict(query)) == "15 7 * * 1,5"
    query = "builder_kind=custom&builder_minute=0&builder_hour=4&builder_month=1"
    assert built_cron(QueryDict(query)) == "0 4 * 1 *"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "builder_kind=hourly",
        "builder_kind=interval&builder_every=x&builder_unit=minutes",
        "builder_kind=weekly&builder_clock=07:15&builder_weekdays=monday",
    ],
)
def test_what_makes_none_is_refused(query: str) -> None:
    with pytest.raises(InvalidCron):
        built_cron(QueryDict(query))


def test_fields_show_the_present_expression_or_what_was_posted() -> None:
    assert builder_fields("*/10 * * * *")["every"] == 10
    assert builder_fields("", QueryDict("cron=5 4 * * *"))["clock"] == "04:05"
    posted = QueryDict("builder_kind=monthly&builder_day=L&builder_clock=09:00")
    assert builder_fields("", posted)["day"] == "L"
    assert builder_fields("", QueryDict("builder_kind=odd"))["kind"] == "daily"
