"""A file brings schedules in line with itself: nothing twice, nothing that is not its own."""

from typing import Any

import pytest

from accounts.models import User
from audit.models import AuditEvent
from controlplane.actors import SYSTEM
from scheduling.actions import pause_schedule
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
from scheduling.schedule_file import read_file, written
from scheduling.sync import Synced, sync_schedules
from tests.scheduling.factories import NOOP, make_schedule

pytestmark = pytest.mark.django_db

NIGHTLY = {"name": "nightly", "task": NOOP, "cron": "0 3 * * *", "enabled": True}


def sync(*entries: dict[str, Any], source: str = "here", dry_run: bool = False) -> Synced:
    file = read_file(written(entries, source, "yaml"))
    return sync_schedules(file, actor=SYSTEM, dry_run=dry_run)


def verbs(synced: Synced) -> list[tuple[str, str]]:
    assert synced.errors == []
    return [(difference.verb, difference.name) for difference in synced.differences]


def test_a_file_makes_changes_and_disables_and_a_second_time_does_nothing() -> None:
    other = {"name": "other", "task": NOOP, "cron": "0 4 * * *"}
    assert verbs(sync(NIGHTLY, other)) == [("create", "nightly"), ("create", "other")]
    assert verbs(sync(NIGHTLY, other)) == []
    changed = sync(NIGHTLY | {"cron": "0 5 * * *", "queue": "mail"})
    assert verbs(changed) == [("update", "nightly"), ("disable", "other")]
    assert 'cron: "0 3 * * *" -> "0 5 * * *"' in changed.differences[0].changes
    nightly, gone = JobSchedule.objects.order_by("name")
    assert (nightly.cron, nightly.queue) == ("0 5 * * *", "mail")
    assert nightly.schedule_status == ScheduleStatus.ENABLED
    assert gone.schedule_status == ScheduleStatus.UNSCHEDULED
    assert verbs(sync(NIGHTLY | {"cron": "0 5 * * *", "queue": "mail"})) == []
    assert verbs(sync(NIGHTLY, other)) == [("update", "nightly"), ("update", "other")]


def test_a_dry_run_tells_the_same_and_stores_nothing() -> None:
    assert verbs(sync(NIGHTLY, dry_run=True)) == [("create", "nightly")]
    assert not JobSchedule.objects.exists()
    assert not AuditEvent.objects.exists()


def test_what_the_file_leaves_out_is_the_default_again() -> None:
    sync(NIGHTLY | {"queue": "mail", "tags": ["x"], "timezone": "Asia/Tokyo"})
    changes = sync(NIGHTLY).differences[0].changes
    assert 'queue: "mail" -> ""' in changes
    schedule = JobSchedule.objects.get()
    assert (schedule.queue, schedule.tags, schedule.timezone) == ("", [], "UTC")


def test_a_status_is_kept_unless_the_file_says_so() -> None:
    sync(NIGHTLY)
    schedule = JobSchedule.objects.get()
    pause_schedule(schedule_id=schedule.id, actor=SYSTEM)
    silent = {name: value for name, value in NIGHTLY.items() if name != "enabled"}
    assert verbs(sync(silent)) == []
    assert sync(NIGHTLY).differences[0].changes == ("is enabled",)
    assert sync(NIGHTLY | {"enabled": False}).differences[0].changes == ("is paused",)


def test_schedules_of_others_are_left_alone(user: User) -> None:
    mine = make_schedule("by hand", owner=user)
    sync(NIGHTLY, source="another file")
    assert verbs(sync({"name": "x", "task": NOOP})) == [("create", "x")]
    assert verbs(sync()) == []
    mine.refresh_from_db()
    assert mine.schedule_status == ScheduleStatus.ENABLED
    assert JobSchedule.objects.get(name="nightly").schedule_status == ScheduleStatus.ENABLED


def test_a_namesake_that_nobody_imported_is_taken_over(user: User) -> None:
    mine = make_schedule("nightly", owner=user, cron="0 3 * * *")
    assert "is taken over by the file" in sync(NIGHTLY).differences[0].changes
    assert JobSchedule.objects.get() == mine
    assert verbs(sync()) == [("disable", "nightly")]


def test_an_interval_keeps_counting_from_where_it_began() -> None:
    entry = {"name": "often", "task": NOOP, "interval_seconds": 90, "enabled": True}
    sync(entry)
    assert verbs(sync(entry)) == []
    sync(entry | {"cron": "0 3 * * *", "interval_seconds": None})
    schedule = JobSchedule.objects.get()
    assert (schedule.cron, schedule.interval_seconds, schedule.anchor_at) == (
        "0 3 * * *",
        None,
        None,
    )


def test_one_fault_stores_nothing_and_all_faults_are_told() -> None:
    bad: list[dict[str, Any]] = [
        {"name": "a", "task": NOOP, "cron": "61 * * * *"},
        {"name": "b", "task": "gone.away"},
        {"name": "c", "task": NOOP, "kwargs": {"unknown": 1}},
        {"name": "d"},
        {"name": "e", "task": NOOP, "kwargs": {"token": "•••"}},
    ]
    synced = sync(NIGHTLY, *bad)
    assert [error[0] for error in synced.errors] == ["a", "b", "c", "d", "e"]
    assert "minute" in synced.errors[0]
    assert not JobSchedule.objects.exists()


def test_secrets_are_neither_told_nor_lost() -> None:
    entry = {"name": "s", "task": "tests.sample_app.tasks.echo", "cron": "0 3 * * *"}
    sync(entry | {"kwargs": {"value": {"password": "x1y2"}}})
    masked = entry | {"kwargs": {"value": {"password": "•••"}}}
    assert verbs(sync(masked)) == []
    told = sync(entry | {"kwargs": {"value": {"password": "z3"}}}).differences[0].changes
    assert told == ("kwargs: … -> …",)
