"""At the scheduler's start: what is no longer valid is flagged, one by one."""

import logging

import pytest

from scheduling import cron
from scheduling.models import JobSchedule
from scheduling.normalise import normalise
from tests.factories import make_worker
from tests.scheduling.conftest import Options
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


def test_above_the_limit_it_is_paused_not_dropped(options: Options) -> None:
    rows = [make_schedule(str(number)) for number in range(3)]
    options(schedule_limit=1)
    assert normalise().changed == [row.id for row in rows[1:]]
    assert [status_of(row) for row in rows] == ["ENABLED", "PAUSED", "PAUSED"]
    assert "above the limit of 1 schedules" in rows[1].status_reason
    assert rows[1].cron


def test_a_schedule_without_cron_but_with_other_times_stays() -> None:
    schedule = make_schedule(interval_seconds=60)
    assert status_of(schedule) == "ENABLED"
    assert normalise().changed == []
