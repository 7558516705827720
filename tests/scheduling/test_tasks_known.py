"""Which tasks are lost, and which are only another release's."""

import pytest

from scheduling.models import JobSchedule
from scheduling.tasks_known import left_to_others, unknown_everywhere, unknown_here
from tests.factories import make_worker
from tests.scheduling.factories import NOOP, make_due, make_schedule

pytestmark = pytest.mark.django_db


def test_only_live_workers_make_a_task_known() -> None:
    make_worker(tasks=["newer.one"])
    make_worker(tasks=["newer.two"], stopped_at="2026-01-01T00:00Z")
    tasks = [NOOP, "newer.one", "newer.two"]
    assert unknown_here(tasks) == {"newer.one", "newer.two"}
    assert unknown_everywhere(tasks) == {"newer.two"}


def test_due_schedules_of_another_release_are_left_to_it() -> None:
    for name, task in (("a", "newer.one"), ("b", "gone.away"), ("c", NOOP)):
        schedule = make_due(make_schedule(name))
        JobSchedule.objects.filter(id=schedule.id).update(task=task)
    make_worker(tasks=["newer.one"])
    assert left_to_others() == {"newer.one"}
