"""Times that passed while a schedule was paused: told once, on its return, and never run."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from controlplane.actors import SYSTEM
from jobs.models import Job
from scheduling.actions import pause_schedule, resume_schedule, update_schedule
from scheduling.models import JobSchedule
from scheduling.passed import tell_passed
from tests.scheduling.factories import NINE, make_schedule, outcomes

pytestmark = pytest.mark.django_db


def paused(cron: str) -> JobSchedule:
    schedule = make_schedule(cron=cron, enabled=False)
    schedule.quiet_since = NINE
    return schedule


def test_one_row_stands_for_all_of_them_at_the_last() -> None:
    schedule = paused("0 * * * *")
    tell_passed(schedule, NINE + timedelta(hours=3, minutes=5))
    assert outcomes(schedule) == [("12:00:00", "skipped_paused")]
    assert schedule.firings.get().reason == "paused since 2026-05-04 09:00:00Z: 3 passed unfired"


def test_a_single_one_is_told_of_as_such() -> None:
    schedule = paused("0 10 * * *")
    tell_passed(schedule, NINE + timedelta(hours=3))
    assert schedule.firings.get().reason.endswith("it passed unfired")


def test_when_none_has_passed_there_is_nothing_to_tell() -> None:
    schedule = paused("0 10 * * *")
    tell_passed(schedule, NINE + timedelta(minutes=5))
    schedule.quiet_since = None
    tell_passed(schedule, NINE + timedelta(days=5))
    assert not schedule.firings.exists()


def test_telling_twice_leaves_one_row() -> None:
    schedule = paused("0 10 * * *")
    for _ in range(2):
        tell_passed(schedule, NINE + timedelta(hours=3))
    assert schedule.firings.count() == 1


def test_pause_and_resume_leave_it_in_the_history_and_run_nothing() -> None:
    schedule = make_schedule(cron="* * * * *")
    pause_schedule(schedule_id=schedule.id, actor=SYSTEM)
    JobSchedule.objects.update(quiet_since=Now() - timedelta(hours=2))
    resumed = resume_schedule(schedule_id=schedule.id, actor=SYSTEM)
    assert resumed.quiet_since is None
    firing = schedule.firings.get()
    assert firing.outcome == "skipped_paused"
    assert "120 passed unfired" in firing.reason
    assert not Job.objects.exists()


def test_other_times_are_counted_from_when_they_were_set() -> None:
    schedule = make_schedule(cron="* * * * *")
    pause_schedule(schedule_id=schedule.id, actor=SYSTEM)
    JobSchedule.objects.update(quiet_since=Now() - timedelta(hours=2))
    update_schedule(schedule_id=schedule.id, actor=SYSTEM, cron="0 0 1 1 *")
    resume_schedule(schedule_id=schedule.id, actor=SYSTEM)
    assert not schedule.firings.exists()
