"""Schedules that come from elsewhere: found again, and named so that no name is doubled."""

import pytest

from controlplane.actors import SYSTEM
from scheduling.actions import delete_schedule, pause_schedule
from scheduling.errors import InvalidSchedule
from scheduling.imported import NAME_LENGTH, NOT_ENABLED, Import, free_name, key_of, stored
from scheduling.lifecycle import ScheduleStatus
from scheduling.values import ScheduleValues
from tests.scheduling.factories import NOOP, make_schedule

pytestmark = pytest.mark.django_db


def store(cron: str = "0 3 * * *", *, enable: bool = False, obstacle: str = "") -> tuple[str, str]:
    how = Import(key="test:1", actor=SYSTEM, enable=enable, obstacle=obstacle)
    values: ScheduleValues = {"task": NOOP, "cron": cron}
    status, schedule = stored(values, "a name", how)
    return status, schedule.status_reason or schedule.schedule_status


def test_it_is_made_once_and_then_refreshed() -> None:
    assert store() == ("created", NOT_ENABLED)
    assert store() == ("unchanged", NOT_ENABLED)
    assert store("0 4 * * *")[0] == "updated"
    assert store("0 4 * * *", enable=True) == ("updated", ScheduleStatus.ENABLED)


def test_an_obstacle_keeps_it_waiting() -> None:
    assert store(enable=True, obstacle="not its user") == ("created", "not its user")
    assert store(enable=True) == ("updated", ScheduleStatus.ENABLED)


def test_what_people_paused_or_deleted_stays_so() -> None:
    store(enable=True)
    _, schedule = stored({"task": NOOP}, "a name", Import(key="test:1", actor=SYSTEM, enable=False))
    pause_schedule(schedule_id=schedule.id, actor=SYSTEM)
    assert store(enable=True) == ("unchanged", ScheduleStatus.PAUSED)
    delete_schedule(schedule_id=schedule.id, actor=SYSTEM)
    with pytest.raises(InvalidSchedule, match="deleted"):
        store()
    assert store(enable=True)[0] == "created"


def test_names_are_short_printable_and_free() -> None:
    make_schedule("echo hello")
    assert free_name("echo\thello\x1b", SYSTEM) == "echo hello (2)"
    assert len(free_name("x" * 200, SYSTEM)) == NAME_LENGTH


def test_keys_are_equal_for_equal_parts_only() -> None:
    assert key_of("a", "b", "c") == key_of("a", "b", "c")
    assert len({key_of("a", "b", "c"), key_of("a", "bc"), key_of("x", "b", "c")}) == 3
    assert len(key_of("crontab", "x" * 9999)) <= 100
