"""Many at once: each by itself, with counts and reasons."""

import pytest

from accounts.models import User
from controlplane.actors import SYSTEM, Actor
from jobs.models import Job
from scheduling.actions import pause_schedules, resume_schedules
from scheduling.actions.bulk import MAX_BULK
from scheduling.errors import InvalidSchedule, InvalidTransition, ScheduleNotFound
from scheduling.models import JobSchedule
from tests.scheduling.factories import make_schedule

pytestmark = pytest.mark.django_db


def statuses() -> list[str]:
    return list(JobSchedule.objects.order_by("id").values_list("schedule_status", flat=True))


def test_each_is_paused_or_its_refusal_is_told() -> None:
    rows = [make_schedule("a"), make_schedule("b", enabled=False), make_schedule("c")]
    bulk = pause_schedules(schedule_ids=[r.id for r in rows] + [10**9], actor=SYSTEM, reason="x")
    assert bulk.done == [rows[0].id, rows[2].id]
    assert {id_: type(error) for id_, error in bulk.refused.items()} == {
        rows[1].id: InvalidTransition,
        10**9: ScheduleNotFound,
    }
    assert statuses() == ["PAUSED"] * 3


def test_resuming_many_fires_nothing() -> None:
    rows = [make_schedule(str(number), enabled=False) for number in range(3)]
    unscheduled = make_schedule("by hand", cron="")
    bulk = resume_schedules(schedule_ids=[*(r.id for r in rows), unscheduled.id], actor=SYSTEM)
    assert bulk.done == [r.id for r in rows]
    assert list(bulk.refused) == [unscheduled.id]
    assert statuses() == ["ENABLED"] * 3 + ["UNSCHEDULED"]
    assert not Job.objects.exists()


def test_an_id_given_twice_counts_once() -> None:
    schedule = make_schedule()
    assert pause_schedules(schedule_ids=[schedule.id] * 2, actor=SYSTEM).done == [schedule.id]


def test_there_is_a_bound() -> None:
    with pytest.raises(InvalidSchedule, match=str(MAX_BULK)) as refusal:
        resume_schedules(schedule_ids=range(MAX_BULK + 1), actor=SYSTEM)
    assert refusal.value.field == "schedule_ids"


def test_others_schedules_are_refused_as_if_they_did_not_exist(
    user_actor: Actor, user: User, other_user: User
) -> None:
    mine, theirs = make_schedule("a", owner=user), make_schedule("b", owner=other_user)
    bulk = pause_schedules(schedule_ids=[mine.id, theirs.id], actor=user_actor)
    assert bulk.done == [mine.id]
    assert isinstance(bulk.refused[theirs.id], ScheduleNotFound)
