"""PM13: the visual builder writes cron text, and reads back what it wrote."""

from itertools import product
from typing import Any

import pytest

from scheduling.cron import canonical
from scheduling.cron_builder import EVEN, PRESETS, Choices, Kind, build, read
from scheduling.errors import InvalidCron


@pytest.mark.parametrize(
    ("choices", "expression"),
    [
        ({"kind": Kind.INTERVAL, "every": 1, "unit": "minutes"}, "* * * * *"),
        ({"kind": Kind.INTERVAL, "every": 15, "unit": "minutes"}, "*/15 * * * *"),
        ({"kind": Kind.INTERVAL, "every": 6, "unit": "hours"}, "0 */6 * * *"),
        ({"kind": Kind.DAILY, "clock": "07:05"}, "5 7 * * *"),
        ({"kind": Kind.WEEKLY, "clock": "07:05", "weekdays": [5, 1, 1]}, "5 7 * * 1,5"),
        ({"kind": Kind.MONTHLY, "clock": "23:59", "day": "31"}, "59 23 31 * *"),
        ({"kind": Kind.MONTHLY, "clock": "00:00", "day": "l"}, "0 0 L * *"),
        ({"kind": Kind.CUSTOM, "custom": ["0", " 1 , 2", "", "*", "mon"]}, "0 1,2 * * mon"),
    ],
)
def test_choices_become_an_expression(choices: dict[str, Any], expression: str) -> None:
    assert build(Choices(**choices)) == expression
    canonical(expression)


@pytest.mark.parametrize(
    ("choices", "field", "told"),
    [
        ({"kind": Kind.INTERVAL, "every": 7}, "builder_every", "does not come out even"),
        ({"kind": Kind.INTERVAL, "every": 5, "unit": "days"}, "builder_unit", "minutes or hours"),
        ({"kind": Kind.DAILY, "clock": "25:00"}, "builder_clock", "03:00"),
        ({"kind": Kind.WEEKLY, "weekdays": []}, "builder_weekdays", "at least one"),
        ({"kind": Kind.WEEKLY, "weekdays": [7]}, "builder_weekdays", "at least one"),
        ({"kind": Kind.MONTHLY, "day": "32"}, "builder_day", "1 to 31"),
    ],
)
def test_choices_that_make_none_are_refused_by_field(
    choices: dict[str, Any], field: str, told: str
) -> None:
    with pytest.raises(InvalidCron, match=told) as refused:
        build(Choices(**choices))
    assert refused.value.field == field


def test_what_was_built_is_read_back() -> None:
    built = [Choices(kind=Kind.INTERVAL, every=n, unit=unit) for unit in EVEN for n in EVEN[unit]]
    built += [Choices(kind=Kind.DAILY, clock="03:00"), Choices(kind=Kind.MONTHLY, day="L")]
    built += [Choices(kind=Kind.WEEKLY, weekdays=list(days)) for days in ([1], [0, 6], range(7))]
    for choices in built:
        assert build(read(build(choices))) == build(choices)
        assert read(build(choices)).kind is choices.kind


@pytest.mark.parametrize("expression", ["0 8 * * 1-5", "30 2 1 1 *", "1,2 3 * * *", "0 0 1 * 1"])
def test_any_five_fields_can_be_shown(expression: str) -> None:
    choices = read(expression)
    if choices.kind is Kind.CUSTOM:
        assert build(choices) == expression


def test_six_fields_and_names_show_the_default() -> None:
    assert read("0 0 12 * * *") == read("@daily") == read("") == Choices()


def test_every_preset_is_accepted() -> None:
    for expression, _ in PRESETS:
        assert canonical(expression) == expression


def test_every_even_interval_is_even() -> None:
    for (unit, whole), n in product((("minutes", 60), ("hours", 24)), range(2, 60)):
        assert (n in EVEN[unit]) <= (whole % n == 0)
