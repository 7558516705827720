"""Importing django-celery-beat: what each periodic task becomes, and nothing twice."""

from dataclasses import replace

import pytest

from controlplane.actors import SYSTEM
from scheduling.celerybeat import SWITCHED_OFF, ImportedTask, import_celerybeat
from scheduling.celerybeat_sources import read_dump
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
from tests.scheduling.beat import DUMP
from tests.scheduling.factories import NOOP

pytestmark = pytest.mark.django_db

NAMES = {"shop.tasks.clean": NOOP}


def load(
    *, enable: bool = False, dry_run: bool = False, names: dict[str, str] | None = None
) -> dict[str, ImportedTask]:
    found = import_celerybeat(
        read_dump(DUMP),
        actor=SYSTEM,
        enable=enable,
        task_names=NAMES if names is None else names,
        dry_run=dry_run,
    )
    return {line.entry.name: line for line in found}


def test_each_task_becomes_a_schedule_or_says_why_not() -> None:
    found = load()
    assert {name: line.status for name, line in found.items()} == {
        "nightly": "created",
        "often": "created",
        "off": "created",
        "sunrise": "skipped",
        "backend": "skipped",
    }
    assert "solar" in found["sunrise"].reason
    assert "priority" in found["often"].reason
    assert JobSchedule.objects.get(name="often").interval_seconds == 90
    assert not JobSchedule.objects.exclude(schedule_status=ScheduleStatus.PAUSED).exists()


def test_a_second_import_changes_nothing_and_enabling_leaves_out_what_was_off() -> None:
    load()
    assert load()["nightly"].status == "unchanged"
    found = load(enable=True)
    assert found["nightly"].schedule and found["nightly"].schedule.schedule_status == "ENABLED"
    assert SWITCHED_OFF in found["off"].reason
    assert JobSchedule.objects.count() == 3


def test_a_dry_run_stores_nothing() -> None:
    assert load(dry_run=True)["nightly"].status == "created"
    assert not JobSchedule.objects.exists()


def test_an_unknown_task_is_refused_by_name() -> None:
    line = load(names={})["often"]
    assert (line.status, "shop.tasks.clean" in line.reason) == ("refused", True)


def test_a_one_off_runs_at_its_next_time_only() -> None:
    (nightly, often) = (
        replace(entry, one_off=True)
        for entry in read_dump(DUMP)
        if entry.name in {"nightly", "often"}
    )
    for entry in (nightly, often):
        (line,) = import_celerybeat(
            [entry], actor=SYSTEM, enable=True, task_names=NAMES, dry_run=False
        )
        assert line.schedule is not None and line.schedule.run_at == line.schedule.next_run_at
        assert "one-off" in line.reason
