"""Every status, outcome and kind has its look."""

import pytest

from scheduling.lifecycle import ExecutionStatus, ScheduleStatus
from scheduling.models import Firing
from scheduling.templatetags.scheduling import (
    execution_state,
    firing_outcome,
    kind_word,
    schedule_state,
    schedule_word,
)


@pytest.mark.parametrize("status", ScheduleStatus)
def test_every_schedule_status_has_a_badge(status: ScheduleStatus) -> None:
    assert schedule_word(status) in schedule_state(status)


@pytest.mark.parametrize("status", ExecutionStatus)
def test_every_execution_status_has_a_badge(status: ExecutionStatus) -> None:
    assert status.value.capitalize() in execution_state(status)


@pytest.mark.parametrize("outcome", Firing.Outcome)
def test_every_outcome_has_a_badge(outcome: Firing.Outcome) -> None:
    assert 'class="badge"' in firing_outcome(Firing(outcome=outcome))


def test_the_clock_needs_no_word() -> None:
    assert [kind_word(kind) for kind in Firing.Kind.values] == ["", "backfill", "by hand"]
