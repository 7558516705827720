"""Times between a form and a schedule."""

from datetime import UTC, datetime

import pytest

from scheduling.errors import InvalidSchedule, InvalidZone
from scheduling.form_times import (
    instant_of,
    interval_parts,
    kind_of,
    times_of,
    times_values,
    wall_text,
)
from scheduling.lifecycle import NO_TIMES
from scheduling.models import JobSchedule

NOW = datetime(2026, 11, 30, 8, 0, 0, 123, tzinfo=UTC)


def test_a_wall_time_is_an_instant_of_its_zone() -> None:
    assert instant_of("2026-07-01T12:00", "Europe/Berlin", field="x").hour == 10
    assert instant_of("2026-12-01T12:00:30", "Europe/Berlin", field="x").hour == 11
    # The first of two.
    assert instant_of("2026-10-25T02:30", "Europe/Berlin", field="x").hour == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2027-03-28T02:30", "does not exist in Europe/Berlin: the clock goes forward to 03:00"),
        ("soon", "such as 2026-11-30T08:00"),
        ("2027-03-28T02:30Z", "such as"),
        ("9999-12-31T23:59", "1970 to 2200"),
        ("0001-01-01T00:00", "1970 to 2200"),
    ],
)
def test_what_is_no_wall_time_is_refused(text: str, told: str) -> None:
    with pytest.raises(InvalidSchedule, match=told) as refused:
        instant_of(text, "Europe/Berlin", field="run_at")
    assert refused.value.field == "run_at"


def test_an_instant_is_shown_by_the_schedules_clock() -> None:
    assert wall_text(NOW, "Asia/Tokyo") == "2026-11-30T17:00:00"
    assert wall_text(None, "UTC") == wall_text(NOW, "Etc/Unknown") == ""
    with pytest.raises(InvalidZone):
        instant_of("2026-11-30T17:00", "Etc/Unknown", field="x")


def test_each_kind_names_its_own_columns_and_clears_the_others() -> None:
    assert times_values({"kind": "none"}) == NO_TIMES
    assert times_values({}) == NO_TIMES
    every = times_values({"kind": "every", "every": 2, "every_unit": 3600, "cron": "x"})
    assert every == NO_TIMES | {"interval_seconds": 7200}
    assert times_values({"kind": "every"})["interval_seconds"] is None
    assert times_values({"kind": "cron", "cron": "x", "run_at": NOW}) == NO_TIMES | {"cron": "x"}
    assert times_values({"kind": "once", "run_at": NOW}) == NO_TIMES | {"run_at": NOW}
    days = times_values({"kind": "days", "interval_days": 7, "anchor_at": NOW})
    assert days == NO_TIMES | {"interval_days": 7, "anchor_at": NOW}


def test_an_interval_counts_from_its_anchor_its_window_or_now() -> None:
    start = datetime(2027, 1, 1, tzinfo=UTC)
    values = {"interval_seconds": 60, "anchor_at": None, "timezone": "UTC"}
    assert times_of(values, NOW).anchor_at == NOW.replace(microsecond=0)
    assert times_of(values | {"starts_at": start}, NOW).anchor_at == start
    assert times_of({"cron": "* * * * *"}, NOW).anchor_at is None


def test_kinds_and_parts_are_told_from_a_schedule() -> None:
    kinds = [
        kind_of(JobSchedule(**columns))
        for columns in (
            {"cron": "* * * * *"},
            {"interval_seconds": 5},
            {"interval_days": 5},
            {"run_at": NOW},
            {},
        )
    ]
    assert kinds == ["cron", "every", "days", "once", "none"]
    assert [interval_parts(n) for n in (90, 3600, 86_400 * 2, 1)] == [
        (90, 1),
        (1, 3600),
        (2, 86_400),
        (1, 1),
    ]
