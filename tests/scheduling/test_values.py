"""Values as they are stored; what is refused is tried with the action that creates."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from controlplane.actors import SYSTEM, Actor
from jobs.errors import InvalidArguments
from scheduling.errors import InvalidSchedule
from scheduling.times import Times
from scheduling.values import check_arguments, check_times, checked


def test_values_are_trimmed_and_canonical() -> None:
    stored = checked({"name": " a ", "args": (1,), "timeout_seconds": 5, "tags": (" b", "a", "b")})
    assert stored == {"name": "a", "args": [1], "timeout_seconds": 5.0, "tags": ["b", "a"]}
    assert checked({"cron": "00 1 * * MON "})["cron"] == "0 1 * * MON"
    assert checked({"cron": "  "}) == {"cron": ""}


def test_naming_times_of_one_kind_gives_up_the_others() -> None:
    assert checked({"interval_days": 7}) == {
        "interval_days": 7,
        "cron": "",
        "interval_seconds": None,
        "run_at": None,
    }
    assert checked({"interval_days": None}) == {"interval_days": None}


def test_moments_are_kept_in_utc() -> None:
    noon = datetime(2030, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    assert checked({"run_at": noon})["run_at"].isoformat() == "2030-01-01T10:00:00+00:00"


def test_a_time_must_be_to_come() -> None:
    now = datetime(2026, 5, 4, tzinfo=UTC)
    check_times(Times(run_at=now + timedelta(seconds=1)), now)
    check_times(Times(), now)
    with pytest.raises(InvalidSchedule, match="to come"):
        check_times(Times(run_at=now), now)
    with pytest.raises(InvalidSchedule, match="No time to come lies"):
        check_times(Times(cron="@daily", ends_at=now), now)
    with pytest.raises(InvalidSchedule, match="later than starts_at"):
        check_times(Times(starts_at=now, ends_at=now), now)


def test_an_unknown_value_is_named() -> None:
    odd: Any = {"colour": "red"}
    with pytest.raises(InvalidSchedule, match="no colour"):
        checked(odd)


def test_the_guard_of_the_task_is_asked_for_the_author() -> None:
    nobody = Actor(id=1, label="x")
    command = "jobs.tasks.run_command.run_command"
    with pytest.raises(Exception, match="switched off"):
        check_arguments(command, [], {"shell": "true"}, nobody)
    with pytest.raises(InvalidArguments):
        check_arguments("tests.sample_app.tasks.add", [], {}, SYSTEM)
