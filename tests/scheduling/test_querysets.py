"""Named filters, above all what counts as RUNNING: it cannot be left behind."""

from datetime import timedelta

import pytest

from controlplane.actors import SYSTEM
from jobs.lifecycle import Status
from scheduling.actions import delete_schedule
from scheduling.models import JobSchedule
from tests.factories import make_job, make_user
from tests.scheduling.factories import make_due, make_schedule

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("status", Status)
def test_running_is_what_has_a_running_job_now(status: Status) -> None:
    schedule = make_schedule()
    make_job(status, trigger="schedule", trigger_id=schedule.id)
    make_job(Status.RUNNING, trigger="code", trigger_id=schedule.id)
    running = JobSchedule.objects.running_now().filter(id=schedule.id).exists()
    assert running is (status is Status.RUNNING)


def test_due_is_enabled_and_its_time_has_come_longest_waiting_first() -> None:
    make_schedule("not yet")
    make_schedule("paused", enabled=False)
    later = make_due(make_schedule("later"), timedelta(seconds=1))
    sooner = make_due(make_schedule("sooner"), timedelta(seconds=2))
    assert list(JobSchedule.objects.due()) == [sooner, later]


def test_live_leaves_out_the_deleted_and_owners_have_their_own() -> None:
    owner = make_user("owner@example.com", "USER")
    mine, gone = make_schedule("mine", owner=owner), make_schedule("gone")
    delete_schedule(schedule_id=gone.id, actor=SYSTEM)
    assert list(JobSchedule.objects.live()) == [mine]
    assert list(JobSchedule.objects.owned_by(owner.pk)) == [mine]
