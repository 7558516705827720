"""Getting at a schedule: locked, named in the trail, hidden from those who may not see it."""

import pytest
from django.db import IntegrityError, transaction

from accounts.models import User
from controlplane.actors import SYSTEM, Actor
from scheduling.actions.locking import (
    lock_schedule,
    names_translated,
    require_source,
)
from scheduling.errors import InvalidTransition, NameTaken, ScheduleNotFound
from scheduling.models import JobSchedule
from tests.scheduling.factories import make_schedule

pytestmark = pytest.mark.django_db


def test_the_lock_comes_with_the_databases_time() -> None:
    schedule = make_schedule()
    with transaction.atomic():
        locked = lock_schedule(schedule.id, actor=SYSTEM)
    assert locked.schedule == schedule
    assert locked.now >= schedule.created_at


def test_missing_and_hidden_look_the_same(other_user_actor: Actor, user: User) -> None:
    schedule = make_schedule(owner=user)
    messages = []
    for schedule_id in (schedule.id, 10**9):
        with pytest.raises(ScheduleNotFound) as refusal, transaction.atomic():
            lock_schedule(schedule_id, actor=other_user_actor)
        messages.append(refusal.value.message.replace(str(schedule_id), "N"))
    assert messages[0] == messages[1]


def test_a_wrong_source_names_state_and_what_is_needed() -> None:
    with pytest.raises(InvalidTransition, match="is PAUSED; pause needs ENABLED"):
        require_source(make_schedule(enabled=False), "pause")


def test_only_a_name_in_use_becomes_name_taken() -> None:
    make_schedule("one")
    two = make_schedule("two")
    with pytest.raises(NameTaken), names_translated("one"):
        JobSchedule.objects.filter(id=two.id).update(name="one")
    with pytest.raises(IntegrityError), names_translated("two"):
        JobSchedule.objects.filter(id=two.id).update(priority=1000)
