"""A page shows no button whose action would refuse."""

import pytest
from django.urls import reverse

from controlplane.actors import Actor
from scheduling.buttons import BUTTONS, button_for, buttons_for, row_actions
from scheduling.errors import InvalidTransition
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
    """PM12: row actions by status; CP12: none that the action would refuse."""
    schedule = JobSchedule(owner_id=1, schedule_status=status)
    for actor in (OWNER, OPERATOR):
        shown = [button.verb for button in buttons_for(schedule, execution, actor)]
        assert shown == [*verbs_for(status, execution), "delete"]
    for actor in (OTHER, NOBODY):
        assert buttons_for(schedule, execution, actor) == []


@pytest.mark.parametrize("status", ScheduleStatus)
@pytest.mark.parametrize("execution", ExecutionStatus)
def test_a_row_offers_the_same_and_asks_before_what_cannot_be_taken_back(
    status: ScheduleStatus, execution: ExecutionStatus
) -> None:
    schedule = JobSchedule(owner_id=1, schedule_status=status)
    row = row_actions(schedule, execution, OWNER)
    shown = [*row.at_once, *([row.run] if row.run else []), *row.menu]
    assert {b.verb for b in shown} == {b.verb for b in buttons_for(schedule, execution, OWNER)}
    assert not any(button.is_dangerous for button in row.at_once)
    assert row.may_edit
    nothing = row_actions(schedule, execution, OTHER)
    assert (nothing.at_once, nothing.run, nothing.menu, nothing.may_edit) == ([], None, [], False)


def test_a_verb_that_is_not_offered_has_no_question() -> None:
    schedule = JobSchedule(owner_id=1, name="nightly", schedule_status="PAUSED")
    assert button_for("resume", schedule, ExecutionStatus.READY, OWNER).verb == "resume"
    for verb in ("pause", "restore", "fly"):
        with pytest.raises(InvalidTransition, match="nightly is PAUSED and READY"):
            button_for(verb, schedule, ExecutionStatus.READY, OWNER)


def test_every_verb_has_a_button_with_an_address() -> None:
    assert {button.verb for button in BUTTONS} == {*SOURCES, "delete"}
    assert len({reverse(button.view, args=[1]) for button in BUTTONS}) == len(BUTTONS)
