"""What django-celery-beat's rows mean here."""

from datetime import UTC, datetime
from typing import Any

import pytest

from scheduling.celerybeat_entries import beat_entry, cron_of

TASK = {
    "name": "nightly",
    "task": "shop.tasks.clean",
    "args": "[]",
    "kwargs": "{}",
    "enabled": True,
}
NIGHTLY = {"minute": "0", "hour": "3", "timezone": "Europe/Berlin"}


@pytest.mark.parametrize(
    ("fields", "expression"),
    [
        ({"minute": "*/15"}, "*/15 * * * *"),
        ({"minute": "0", "hour": "3", "day_of_week": "mon-fri"}, "0 3 * * mon-fri"),
        ({"minute": "0", "hour": "3", "day_of_month": "1"}, "0 3 1 * *"),
        # Celery wants both to match; five Unix fields would take either.
        ({"minute": "0", "hour": "3", "day_of_month": "1-7", "day_of_week": "1"}, "0 0 3 1-7 * 1"),
        ({"minute": "0, 30", "hour": ""}, "0,30 * * * *"),
    ],
)
def test_the_five_columns_are_a_cron(fields: dict[str, str], expression: str) -> None:
    assert cron_of(fields) == expression


def test_a_crontab_keeps_its_zone_arguments_and_window() -> None:
    row = TASK | {"args": "[1]", "kwargs": '{"a": 2}', "queue": "mail", "description": "why"}
    row |= {"start_time": "2026-11-30T08:00:00Z", "expires": datetime(2027, 1, 1, tzinfo=UTC)}
    entry = beat_entry(row, crontab=NIGHTLY)
    assert entry.values == {
        "description": "why",
        "args": [1],
        "kwargs": {"a": 2},
        "queue": "mail",
        "cron": "0 3 * * *",
        "timezone": "Europe/Berlin",
        "starts_at": datetime(2026, 11, 30, 8, tzinfo=UTC),
        "ends_at": datetime(2027, 1, 1, tzinfo=UTC),
    }


def test_intervals_and_clocked_times_are_kept() -> None:
    assert (
        beat_entry(TASK, interval={"every": 2, "period": "hours"}).values["interval_seconds"]
        == 7200
    )
    clocked = {"clocked_time": "2099-01-01T00:00:00+00:00"}
    entry = beat_entry(TASK | {"one_off": True}, clocked=clocked)
    assert entry.values["run_at"] == datetime(2099, 1, 1, tzinfo=UTC)
    assert not entry.one_off
    assert beat_entry(TASK | {"one_off": True}, crontab=NIGHTLY).one_off


@pytest.mark.parametrize(
    ("row", "times", "problem"),
    [
        ({"solar": 1}, {}, "solar"),
        ({}, {}, "no times"),
        ({}, {"interval": {"every": 5, "period": "microseconds"}}, "too short"),
        ({}, {"interval": {"every": 0, "period": "days"}}, "is none"),
        ({}, {"clocked": {"clocked_time": "soon"}}, "no time"),
        ({}, {"clocked": {"clocked_time": "2026-11-30T08:00:00"}}, "no time zone"),
        ({"args": "{"}, {"crontab": NIGHTLY}, "args is no JSON"),
        ({"kwargs": "[1]"}, {"crontab": NIGHTLY}, "kwargs is no JSON object"),
    ],
)
def test_what_cannot_be_kept_is_a_problem(
    row: dict[str, Any], times: dict[str, Any], problem: str
) -> None:
    assert problem in beat_entry(TASK | row, **times).problem


def test_what_has_no_counterpart_is_remarked() -> None:
    row = TASK | {"priority": 5, "exchange": "x", "routing_key": "", "headers": "{}"}
    remarks = beat_entry(row, crontab=NIGHTLY).remarks
    assert [remark.split()[1] for remark in remarks] == ["exchange", "priority"]
