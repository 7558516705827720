"""A page shows no button whose action would refuse."""

import pytest
from django.urls import reverse

from controlplane.actors import Actor
from scheduling.buttons import BUTTONS, buttons_for, row_buttons
from scheduling.lifecycle import SOURCES, ExecutionStatus, ScheduleStatus, verbs_for
from scheduling.models import JobSchedule

OWNER = Actor(id=1, label="owner", roles=frozenset({"USER"}))
OTHER = Actor(id=2, label="other", roles=frozenset({"USER"}))
OPERATOR = Actor(id=3, label="operator", roles=frozenset({"OPERATOR"}))
NOBODY = Actor(id=1, label="nobody")


@pytest.mark.parametrize("status", ScheduleStatus)
@pytest.mark.parametrize("execution", ExecutionStatus)
def test_buttons_are_the_verbs_for_those_who_may(
    status: ScheduleStatus, execution: ExecutionStatus
) -> None:
    schedule = JobSchedule(owner_id=1, schedule_status=status)
    for actor in (OWNER, OPERATOR):
        shown = [button.verb for button in buttons_for(schedule, execution, actor)]
        assert shown == [*verbs_for(status, execution), "delete"]
    for actor in (OTHER, NOBODY):
        assert buttons_for(schedule, execution, actor) == []


def test_a_row_has_room_for_the_harmless_ones() -> None:
    schedule = JobSchedule(owner_id=1, schedule_status="ENABLED")
    shown = row_buttons(schedule, ExecutionStatus.READY, OWNER)
    assert [button.verb for button in shown] == ["run", "pause"]
    assert not any(button.is_dangerous for button in shown)


def test_every_verb_has_a_button_with_an_address() -> None:
    assert {button.verb for button in BUTTONS} == {*SOURCES, "delete"}
    assert len({reverse(button.view, args=[1]) for button in BUTTONS}) == len(BUTTONS)
