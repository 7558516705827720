"""PM9: formats of times come from settings, and server and browser write the same."""

import re
from datetime import UTC, datetime

import pytest
from django.core.exceptions import ImproperlyConfigured

from controlplane.conf import Options
from controlplane.time_format import DIRECTIVES, check_format, written
from tests.rules.tree import ROOT

MOMENT = datetime(2026, 2, 3, 16, 5, 9, 70_000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("%Y-%m-%d %H:%M:%S", "2026-02-03 16:05:09"),
        ("%d/%m/%Y %H:%M:%S.%L", "03/02/2026 16:05:09.070"),
        ("%a %d %b %y, %I:%M %p", "Tue 03 Feb 26, 04:05 PM"),
        ("100%%", "100%"),
    ],
)
def test_a_moment_is_written_in_a_form(form: str, text: str) -> None:
    assert written(MOMENT, form) == text


def test_midnight_and_noon_are_twelve() -> None:
    assert written(MOMENT.replace(hour=0), "%I %p") == "12 AM"
    assert written(MOMENT.replace(hour=12), "%I %p") == "12 PM"


@pytest.mark.parametrize("form", ["", "  ", "%Q", "%", "%Y %f"])
def test_an_unusable_form_stops_the_start_by_name(form: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"datetime_format .* %Y"):
        check_format("datetime_format", form)
    with pytest.raises(ImproperlyConfigured, match="date_format"):
        Options(date_format=form)


def test_the_browser_knows_the_same_directives() -> None:
    script = (ROOT / "static/js/zones.js").read_text(encoding="utf-8")
    block = script.partition("const WRITE = {")[2].partition("};")[0]
    assert set(re.findall(r'^\s+"?([A-Za-z%])"?: ', block, re.MULTILINE)) == set(DIRECTIVES)
