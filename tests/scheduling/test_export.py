"""What an export says, and that it comes back as it was."""

import pytest

from controlplane.actors import SYSTEM
from scheduling.export import exported
from scheduling.models import JobSchedule
from scheduling.schedule_file import COLUMNS, read_file, written
from scheduling.sync import sync_schedules
from tests.scheduling.factories import NOOP, make_schedule

pytestmark = pytest.mark.django_db


def test_defaults_are_left_out() -> None:
    make_schedule("plain", cron="0 3 * * *")
    make_schedule("by hand", cron="")
    by_hand, plain = exported(JobSchedule.objects.order_by("name"), secrets=False)
    assert by_hand == {"name": "by hand", "task": NOOP}
    assert plain == {
        "name": "plain",
        "task": NOOP,
        "cron": "0 3 * * *",
        "timezone": "UTC",
        "enabled": True,
    }


def test_secrets_are_masked_unless_asked_for() -> None:
    make_schedule(task="tests.sample_app.tasks.echo", kwargs={"value": {"password": "x1"}})
    (masked,) = exported(JobSchedule.objects.all(), secrets=False)
    (clear,) = exported(JobSchedule.objects.all(), secrets=True)
    assert masked["kwargs"] == {"value": {"password": "•••"}}
    assert clear["kwargs"] == {"value": {"password": "x1"}}


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_file_restores_what_it_was_made_from(form: str) -> None:
    make_schedule("a", cron="0 3 * * *", timezone="Asia/Tokyo", tags=["x"], priority=5, args=[])
    make_schedule("b", cron="", interval_seconds=90, jitter_seconds=5, enabled=False)
    make_schedule("c", cron="", interval_days=7, overlap_policy="allow", missed_policy="run_all")
    rows = JobSchedule.objects.order_by("name")
    text = written(exported(rows, secrets=True), "there", form)
    before = [[getattr(schedule, column) for column in COLUMNS] for schedule in rows]
    JobSchedule.objects.all().delete()
    synced = sync_schedules(read_file(text), actor=SYSTEM, dry_run=False)
    assert synced.errors == []
    assert [[getattr(schedule, column) for column in COLUMNS] for schedule in rows.all()] == before
    assert sync_schedules(read_file(text), actor=SYSTEM, dry_run=True).differences == []
