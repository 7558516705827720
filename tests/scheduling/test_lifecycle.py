"""The two statuses: which verbs each offers."""

import pytest

from scheduling.lifecycle import SOURCES, ExecutionStatus, ScheduleStatus, verbs_for

READY, RUNNING = ExecutionStatus.READY, ExecutionStatus.RUNNING


@pytest.mark.parametrize(
    ("status", "execution", "verbs"),
    [
        (ScheduleStatus.ENABLED, READY, ("run", "pause", "backfill", "disable")),
        (ScheduleStatus.ENABLED, RUNNING, ("pause", "backfill", "disable")),
        (ScheduleStatus.PAUSED, READY, ("run", "resume", "backfill", "disable")),
        (ScheduleStatus.PAUSED, RUNNING, ("resume", "backfill", "disable")),
        (ScheduleStatus.UNSCHEDULED, READY, ("run",)),
        (ScheduleStatus.UNSCHEDULED, RUNNING, ()),
        (ScheduleStatus.TASK_NOT_FOUND, READY, ("restore", "disable")),
        (ScheduleStatus.TASK_NOT_FOUND, RUNNING, ("restore", "disable")),
    ],
)
def test_what_may_be_asked_for(
    status: ScheduleStatus, execution: ExecutionStatus, verbs: tuple[str, ...]
) -> None:
    assert verbs_for(status, execution) == verbs
    assert all(status in SOURCES[verb] for verb in verbs)
