"""The limit on the number of schedules: in the actions, for every door."""

import pytest

from controlplane.actors import SYSTEM
from scheduling import actions
from scheduling.actions.limit import above_limit
from scheduling.errors import ScheduleLimitReached
from scheduling.models import JobSchedule
from tests.concurrency import together
from tests.scheduling.conftest import Options
from tests.scheduling.factories import make_schedule

pytestmark = pytest.mark.django_db


def test_without_a_limit_there_is_none() -> None:
    assert [make_schedule(str(number)) for number in range(3)]
    assert not above_limit().exists()


def test_saving_at_the_limit_is_refused_and_deleting_frees_a_slot(options: Options) -> None:
    options(schedule_limit=2)
    first = make_schedule("a")
    make_schedule("b")
    with pytest.raises(ScheduleLimitReached, match="There are 2 schedules") as refusal:
        make_schedule("c")
    assert (refusal.value.code, refusal.value.http_status) == ("SCHEDULE_LIMIT_REACHED", 409)
    actions.delete_schedule(schedule_id=first.id, actor=SYSTEM)
    make_schedule("c")


@pytest.mark.parametrize("verb", ["run_now", "resume_schedule", "update_schedule"])
def test_acting_above_the_limit_is_refused(options: Options, verb: str) -> None:
    first, second = make_schedule("a"), make_schedule("b")
    options(schedule_limit=1)
    action = getattr(actions, verb)
    with pytest.raises(ScheduleLimitReached, match="above the limit of 1"):
        action(schedule_id=second.id, actor=SYSTEM)
    action(schedule_id=first.id, actor=SYSTEM)
    actions.delete_schedule(schedule_id=first.id, actor=SYSTEM)
    action(schedule_id=second.id, actor=SYSTEM)


@pytest.mark.parametrize("verb", ["pause_schedule", "disable_schedule", "delete_schedule"])
def test_what_makes_it_quieter_is_allowed_above_the_limit(options: Options, verb: str) -> None:
    make_schedule("a")
    second = make_schedule("b")
    options(schedule_limit=1)
    getattr(actions, verb)(schedule_id=second.id, actor=SYSTEM)


def test_the_newest_ones_are_above_it(options: Options) -> None:
    rows = [make_schedule(str(number)) for number in range(4)]
    options(schedule_limit=2)
    assert list(above_limit().order_by("id")) == rows[2:]
    actions.delete_schedule(schedule_id=rows[0].id, actor=SYSTEM)
    assert list(above_limit()) == rows[3:]


@pytest.mark.django_db(transaction=True)
def test_two_who_save_at_once_do_not_both_take_the_last_place(options: Options) -> None:
    options(schedule_limit=1)
    results = together(lambda: make_schedule("a"), lambda: make_schedule("b"))
    assert sum(isinstance(r, ScheduleLimitReached) for r in results) == 1
    assert JobSchedule.objects.count() == 1
