"""What is accepted, in which one form it is stored, and what is refused and why."""

import time

import pytest

from scheduling import cron, cron_dialect
from scheduling.errors import InvalidCron


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("", "empty"),
        ("* * * *", "five fields"),
        ("0 0 1 1 * 0 2024", "Seven fields"),
        ("0 0 31 2 *", "never fires"),
        ("0 0 30 2 *", "never fires"),
        ("0 12 31 4 *", "never fires"),
        ("0 0 31 4,6,9,11 *", "never fires"),
        ("0 0 0 31 2 MON", "never fires"),
        ("R R * * *", "R (random)"),
        ("H(0-7) * * * *", "H (hashed)"),
        ("@reboot", "names no time"),
        ("@fortnightly", "@hourly"),
        ("@daily 5", "is not one of"),
        ("61 * * * *", "minute: 61 is not from 0 to 59"),
        ("0 24 * * *", "hour: 24 is not from 0 to 23"),
        ("0 1 0/10 * *", "day of month: 0 is not from 1 to 31"),
        ("* * * 13 *", "month: 13"),
        ("* * * * 8", "day of week: 8 is not from 0 to 7"),
        ("* * * FOO *", "month: FOO"),
        ("*/0 * * * *", "step"),
        ("*/61 * * * *", "a step is from 1 to 60"),
        ("1,,2 * * * *", "an empty item"),
        ("-5 * * * *", "not understood"),
        ("? * * * *", "minute: ?"),
        ("0 0 L-3 * *", "L-3 is not understood"),
        ("0 0 1W,2 * *", "W stands alone"),
        ("0 0 * * 1#6", "from 1 to 5"),
        ("0 0 * * 1,2#1", "cannot be mixed"),
        ("0 0 * * \x00", "plain ASCII"),
        ("0 0 * * \N{ARABIC-INDIC DIGIT ONE}", "plain ASCII"),
        ("1," * 200 + "1 * * * *", "at most 255"),
        ("0 0 * * " + "9" * 200, "day of week"),
    ],
)
def test_what_is_refused_names_the_reason_and_takes_no_time(expression: str, reason: str) -> None:
    started = time.perf_counter()
    with pytest.raises(InvalidCron) as refusal:
        cron.canonical(expression)
    assert time.perf_counter() - started < 0.2
    assert reason in refusal.value.message
    assert refusal.value.field == "cron"


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("  0  0 *\t* *\n", "0 0 * * *"),
        ("05 09 * * mon-Fri", "5 9 * * MON-FRI"),
        ("@Daily", "@daily"),
        ("0 0 ? * L5", "0 0 * * 5L"),
        ("0 0 w15 * *", "0 0 15W * *"),
        ("0 0 * jan-jan *", "0 0 * JAN *"),
        ("0 03-3 * * *", "0 3-3 * * *"),  # a range: it follows elapsed time, unlike 3
    ],
)
def test_there_is_one_stored_form(written: str, stored: str) -> None:
    assert cron.canonical(written) == stored
    assert cron.canonical(stored) == stored


@pytest.mark.parametrize(
    ("fields", "fixed"),
    [
        ("0 9 * * *", True),
        ("0,30 9,10 1-5 * MON-FRI", True),
        ("*/5 9 * * *", False),
        ("0 9-17 * * *", False),
        ("0 0 9 * * *", True),
        ("* 0 9 * * *", False),
    ],
)
def test_fixed_names_times_of_day_with_numbers_only(fields: str, fixed: bool) -> None:
    assert cron_dialect.is_fixed(fields.split()) is fixed


def test_croniter_is_given_six_fields_of_numbers() -> None:
    assert cron_dialect.for_croniter(["0", "22-1", "*", "JAN", "5L"]) == "0 0 22,23,0,1 * 1 L5"
