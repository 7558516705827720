"""Reads for pages and API: bounded, and only what the actor may see."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from controlplane.actors import Actor
from controlplane.pagination import PageRequest
from jobs.lifecycle import Status
from scheduling import queries
from scheduling.errors import ScheduleNotFound
from scheduling.filters import ScheduleFilter
from scheduling.lifecycle import ExecutionStatus
from scheduling.models import Firing, JobSchedule
from tests.factories import make_job
from tests.scheduling.factories import make_schedule

pytestmark = pytest.mark.django_db


def test_a_row_has_its_latest_firing_only(operator_actor: Actor) -> None:
    schedule, now = make_schedule(), timezone.now()
    for hours in (3, 1, 2):
        Firing.objects.create(
            schedule=schedule, nominal_time=now - timedelta(hours=hours), outcome="missed"
        )
    make_schedule("never fired")
    never, row = queries.schedule_page(operator_actor, ScheduleFilter(), PageRequest()).items
    assert row.last is not None and row.last.nominal_time == now - timedelta(hours=1)
    assert never.last is None
    assert [f.nominal_time for f in queries.firings_of(schedule)] == [
        now - timedelta(hours=hours) for hours in (1, 2, 3)
    ]


def test_pages_follow_each_other(operator_actor: Actor) -> None:
    for i in range(5):
        make_schedule(f"schedule {i}")
    first = queries.schedule_page(operator_actor, ScheduleFilter(), PageRequest(size=3))
    assert [row.schedule.name for row in first.items] == ["schedule 4", "schedule 3", "schedule 2"]
    rest = queries.schedule_page(
        operator_actor, ScheduleFilter(), PageRequest(before=first.older, size=3)
    )
    assert [row.schedule.name for row in rest.items] == ["schedule 1", "schedule 0"]


def test_people_see_their_own_and_strangers_nothing(
    user: User, user_actor: Actor, other_user: User
) -> None:
    mine, other = make_schedule(owner=user), make_schedule(owner=other_user)
    assert list(queries.visible_schedules(user_actor)) == [mine]
    assert not queries.visible_schedules(Actor(id=None, label="anonymous")).exists()
    with pytest.raises(ScheduleNotFound):
        queries.visible_schedule(user_actor, other.id)


def test_execution_status_is_that_of_its_jobs_now() -> None:
    schedule = make_schedule()
    assert queries.execution_status(schedule) is ExecutionStatus.READY
    make_job(Status.RUNNING, trigger="schedule", trigger_id=schedule.id)
    assert queries.execution_status(schedule) is ExecutionStatus.RUNNING


def test_next_runs_show_both_clocks_and_bad_rows_have_none() -> None:
    schedule = make_schedule(cron="0 9 * * *", timezone="Asia/Tokyo", enabled=False)
    preview = queries.next_runs(schedule, 3)
    assert preview is not None
    assert [(run.wall.hour, run.instant.hour) for run in preview.runs] == [(9, 0)] * 3
    assert queries.next_runs(JobSchedule(cron="", timezone="UTC"), 3) is None
    assert queries.next_runs(JobSchedule(cron="bad", timezone="UTC"), 3) is None
    assert queries.next_runs(JobSchedule(cron="@daily", timezone="Etc/Unknown"), 3) is None


def test_a_cron_is_told_in_words_and_a_bad_one_with_its_fault() -> None:
    assert queries.in_words(JobSchedule(cron="@daily")) == "At 00:00"
    assert queries.in_words(JobSchedule(cron="")) == ""
    assert "61" in queries.in_words(JobSchedule(cron="61 * * * *"))
