"""The next 24 hours: when each enabled schedule runs, and how many run together."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.models import User
from controlplane.actors import SYSTEM
from scheduling import timeline as drawn
from scheduling.models import JobSchedule
from scheduling.timeline import CELL, LEVELS, MINUTES, timeline
from tests.conftest import actor_for
from tests.scheduling.factories import make_schedule

pytestmark = pytest.mark.django_db

NOW = datetime(2027, 3, 12, 0, 7, 30, tzinfo=UTC)


def made(name: str, cron: str, **values: Any) -> JobSchedule:
    """Enabled, and due within the day that is drawn."""
    schedule = make_schedule(name, cron=cron, **values)
    JobSchedule.objects.filter(id=schedule.id).update(next_run_at=NOW + timedelta(minutes=1))
    return schedule


def test_a_day_is_drawn_from_the_present_quarter_on() -> None:
    made("twice", "0 4,16 * * *")
    made("every minute", "* * * * *")
    found = timeline(SYSTEM, NOW)
    assert found.begin == datetime(2027, 3, 12, tzinfo=UTC)
    lanes = {lane.schedule.name: lane for lane in found.lanes}
    assert lanes["twice"].stretches == [(240, 1), (960, 1)]
    assert lanes["every minute"].stretches == [(8, MINUTES - 8)]
    assert (lanes["every minute"].total, lanes["twice"].total) == (MINUTES - 8, 2)
    assert lanes["twice"].begins == datetime(2027, 3, 12, 4, tzinfo=UTC)
    assert len(found.cells) == MINUTES // CELL and len(found.hours) == 8
    assert [cell.total for cell in found.cells[:2]] == [7, 15]
    assert found.cells[16].total == 16
    assert {cell.level for cell in found.cells} <= set(range(LEVELS + 1))
    assert found.cells[16].level == LEVELS


def test_frequent_ones_do_not_fill_the_list() -> None:
    made("every minute", "* * * * *")
    seldom = made("twice", "0 4,16 * * *")
    assert [(run.schedule, run.instant.hour) for run in timeline(SYSTEM, NOW).runs] == [
        (seldom, 4),
        (seldom, 16),
    ]


def test_only_enabled_ones_that_one_may_see_are_drawn(user: User) -> None:
    made("theirs", "0 4 * * *")
    mine = made("mine", "0 4 * * *", owner=user)
    make_schedule("paused", cron="0 4 * * *", enabled=False)
    assert [lane.schedule for lane in timeline(actor_for(user), NOW).lanes] == [mine]


def test_what_is_corrupt_or_too_much_is_counted_as_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = made("broken", "0 4 * * *")
    JobSchedule.objects.filter(id=broken.id).update(cron="99 * * * *")
    made("every second", "* * * * * *")
    kept = made("daily", "0 4 * * *")
    monkeypatch.setattr(drawn, "BUDGET", 1000)
    found = timeline(SYSTEM, NOW)
    assert [lane.schedule for lane in found.lanes] == [kept]
    assert found.left_out == 2


def test_nothing_is_an_empty_day() -> None:
    found = timeline(SYSTEM, NOW)
    assert (found.lanes, found.runs, found.left_out) == ([], [], 0)
    assert {cell.level for cell in found.cells} == {0}
