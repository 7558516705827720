"""What the list's address may ask for."""

import pytest

from controlplane.errors import InvalidInput
from scheduling.filters import ScheduleFilter, schedule_filter
from scheduling.lifecycle import ExecutionStatus, ScheduleStatus


def test_each_status_is_asked_for_on_its_own() -> None:
    assert schedule_filter({}) == ScheduleFilter()
    assert not schedule_filter({"status": " "}).is_narrowed
    wanted = schedule_filter({"status": "PAUSED", "execution": "RUNNING"})
    assert wanted.schedule_status is ScheduleStatus.PAUSED
    assert wanted.execution_status is ExecutionStatus.RUNNING
    assert wanted.is_narrowed


@pytest.mark.parametrize("parameters", [{"status": "paused"}, {"execution": "\x00"}])
def test_anything_else_is_refused_with_what_is_allowed(parameters: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match="must be one of"):
        schedule_filter(parameters)
