"""At the scheduler's start: what is no longer valid is flagged, one by one."""

import logging

import pytest

from scheduling import cron
from scheduling.models import JobSchedule
from scheduling.normalise import normalise
from tests.factories import make_worker
from tests.scheduling.factories import make_schedule

pytestmark = pytest.mark.django_db


def corrupted(name: str = "bad", **columns: object) -> JobSchedule:
    schedule = make_schedule(name)
    JobSchedule.objects.filter(id=schedule.id).update(**columns)
    return schedule


def status_of(schedule: JobSchedule) -> str:
    schedule.refresh_from_db()
    return schedule.schedule_status


def test_what_is_valid_stays_as_it_is() -> None:
    schedules = [make_schedule("a"), make_schedule("b", enabled=False), make_schedule("c", cron="")]
    done = normalise()
    assert (done.seen, done.changed, done.failed) == (3, [], [])
    assert [status_of(s) for s in schedules] == ["ENABLED", "PAUSED", "UNSCHEDULED"]


def test_a_task_known_to_nobody_is_not_found() -> None:
    schedule = corrupted(task="gone.away")
    assert normalise().changed == [schedule.id]
    assert status_of(schedule) == "TASK_NOT_FOUND"
    assert "gone.away" in schedule.status_reason
    assert normalise().seen == 0


def test_a_task_known_to_a_live_worker_is_left_alone() -> None:
    schedule = corrupted(task="newer.task")
    make_worker(tasks=["newer.task"])
    assert normalise().changed == []
    assert status_of(schedule) == "ENABLED"


def test_a_cron_that_became_invalid_leaves_it_unscheduled_with_the_reason() -> None:
    schedule = corrupted(cron="99 * * * *")
    normalise()
    assert (status_of(schedule), schedule.cron) == ("UNSCHEDULED", "")
    assert "99" in schedule.status_reason


def test_an_unknown_zone_pauses_it() -> None:
    schedule = corrupted(timezone="US/Pacific-New")
    assert normalise().failed == [schedule.id]
    assert status_of(schedule) == "PAUSED"
    assert "US/Pacific-New" in schedule.status_reason


def test_a_row_that_fails_is_logged_with_its_id_paused_and_skipped(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = make_schedule("first", cron="1 1 1 1 *"), corrupted("second", task="gone.away")

    def fail(text: str) -> str:
        raise RuntimeError("odd")

    monkeypatch.setattr(cron, "canonical", fail)
    with caplog.at_level(logging.ERROR, logger="controlplane"):
        done = normalise()
    assert (done.failed, done.changed) == ([first.id], [second.id])
    assert status_of(first) == "PAUSED"
    assert f"schedule {first.id} (first) is paused: RuntimeError: odd" in caplog.text
