import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.utils import timezone as clock

from controlplane.templatetags.components import age, badge, duration, icon, moment, one_unit, words
from tests.rules.tree import ROOT

SYMBOLS = set(
    re.findall(r'<symbol id="([a-z]+)"', (ROOT / "static/img/icons.svg").read_text("utf-8"))
)


def test_a_moment_says_its_zone_and_is_readable_for_machines() -> None:
    berlin = datetime(2026, 3, 4, 15, 6, 7, tzinfo=timezone(timedelta(hours=1)))
    assert moment(berlin) == (
        '<time datetime="2026-03-04T14:06:07Z">2026-03-04 14:06:07 UTC</time>'
    )


def test_a_moment_below_a_heading_that_says_utc_leaves_the_zone_out() -> None:
    assert moment(datetime(2026, 3, 4, tzinfo=UTC), zone=False).endswith(
        ">2026-03-04 00:00:00</time>"
    )


def test_a_missing_time_shows_nothing() -> None:
    assert (moment(None), age(None)) == ("", "")


def test_an_age_has_the_exact_time_as_its_title() -> None:
    shown = age(clock.now() - timedelta(minutes=5, seconds=1))
    assert re.fullmatch(r'<time datetime=".+Z" title=".+ UTC" data-age>5 min</time>', shown)


def test_a_time_in_the_future_has_no_negative_age() -> None:
    assert ">0 s<" in age(clock.now() + timedelta(hours=1))


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(59.9, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (172_800, "2 d")],
)
def test_one_unit_is_coarse(seconds: float, shown: str) -> None:
    assert one_unit(seconds) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (-1, "0 ms"),
        (0.0421, "42 ms"),
        (12.34, "12.3 s"),
        (59.96, "1 min 00 s"),
        (61, "1 min 01 s"),
        (timedelta(hours=2, minutes=3), "2 h 03 min"),
        (timedelta(days=3, hours=4), "3 d 04 h"),
    ],
)
def test_a_duration_has_at_most_two_units(value: timedelta | float | None, shown: str) -> None:
    assert duration(value) == shown


def test_a_badge_has_shape_word_and_colour_and_escapes_what_it_is_given() -> None:
    shown = badge("danger", "octagon", "<Dead letter>")
    assert 'data-tone="danger"' in shown
    assert "icons.svg#octagon" in shown
    assert "&lt;Dead letter&gt;" in shown


def test_an_icon_is_hidden_from_screen_readers() -> None:
    assert 'aria-hidden="true"' in icon("play")


def test_names_in_capitals_become_words() -> None:
    assert words("JOB_DEAD_LETTERED") == "Job dead lettered"


def test_every_icon_that_a_template_names_exists() -> None:
    named = {
        name
        for path in (ROOT / "templates").rglob("*.html")
        for name in re.findall(r'(?:icon |shape=)"([a-z]+)"', path.read_text(encoding="utf-8"))
    }
    assert named
    assert named <= SYMBOLS
