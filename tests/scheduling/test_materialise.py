"""Due schedules become jobs: once each, whoever looks, however late, whatever lies beside them."""

import logging
import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.db.models import F

from audit.models import AuditEvent
from audit.vocabulary import EventType
from jobs.models import Job, Trigger
from scheduling import materialise
from scheduling.lifecycle import MissedPolicy, OverlapPolicy, ScheduleStatus
from scheduling.materialise import fire_due, seconds_to_next_due
from scheduling.models import Firing, JobSchedule
from tests.factories import make_worker
from tests.scheduling.factories import (
    NINE,
    YEARLY,
    make_due,
    make_due_at,
    make_schedule,
    outcomes,
)


@pytest.mark.django_db
def test_a_due_schedule_becomes_one_job_with_its_values() -> None:
    schedule = make_schedule(
        task="tests.sample_app.tasks.add",
        args=[1],
        kwargs={"b": 2},
        queue="slow",
        priority=7,
        max_attempts=2,
        timeout_seconds=30,
    )
    make_due(schedule)
    assert fire_due(10) == 1
    job = Job.objects.get()
    assert (job.task, job.args, job.kwargs) == ("tests.sample_app.tasks.add", [1], {"b": 2})
    assert (job.queue, job.priority, job.max_attempts, job.timeout_seconds) == ("slow", 7, 2, 30)
    assert (job.trigger, job.trigger_id) == (Trigger.SCHEDULE, schedule.id)
    assert job.overlap_key == f"schedule:{schedule.id}"
    firing = Firing.objects.get()
    assert (firing.outcome, firing.job_id, firing.kind) == ("enqueued", job.id, "due")
    before = schedule.next_run_at
    schedule.refresh_from_db()
    assert schedule.last_fired_at == before
    assert schedule.next_run_at is not None and schedule.next_run_at > firing.fired_at
    event = AuditEvent.objects.get(event_type=EventType.SCHEDULE_FIRED)
    assert (event.target_id, event.metadata["job_id"]) == (schedule.id, job.id)


@pytest.mark.django_db
def test_nothing_due_costs_nothing_and_fires_nothing() -> None:
    make_schedule()
    make_schedule("paused", enabled=False)
    assert fire_due(10) == 0
    assert not Job.objects.exists()


@pytest.mark.django_db
def test_a_time_that_has_a_firing_makes_no_second_job() -> None:
    schedule = make_due(make_schedule(overlap_policy=OverlapPolicy.ALLOW))
    nominal = schedule.next_run_at
    assert nominal is not None
    fire_due(10)
    make_due_at(schedule, nominal)
    fire_due(10)
    assert Job.objects.count() == Firing.objects.filter(nominal_time=nominal).count() == 1


@pytest.mark.django_db
def test_an_unfinished_job_makes_the_next_time_a_skip(caplog: pytest.LogCaptureFixture) -> None:
    schedule = make_due(make_schedule(), timedelta(seconds=2))
    fire_due(10)
    make_due(schedule, timedelta(seconds=1))
    with caplog.at_level(logging.WARNING, logger="controlplane"):
        fire_due(10)
    assert [outcome for _, outcome in outcomes(schedule)] == ["enqueued", "skipped_overlap"]
    assert Job.objects.count() == 1
    assert f"schedule {schedule.id} (nightly): skipped" in caplog.text
    assert AuditEvent.objects.filter(event_type=EventType.SCHEDULE_SKIPPED).count() == 1


@pytest.mark.django_db
def test_allowed_overlap_makes_a_job_at_each_time() -> None:
    schedule = make_due(make_schedule(overlap_policy=OverlapPolicy.ALLOW), timedelta(seconds=2))
    fire_due(10)
    make_due(schedule, timedelta(seconds=1))
    fire_due(10)
    assert Job.objects.filter(overlap_key=None).count() == 2


@pytest.mark.django_db
def test_late_times_are_all_fired() -> None:
    schedule = make_schedule(cron="*/10 * * * * *", overlap_policy=OverlapPolicy.ALLOW)
    make_due_at(schedule, NINE)
    fire_due(10, now=NINE + timedelta(seconds=35))
    assert outcomes(schedule) == [(f"09:00:{second:02}", "enqueued") for second in (0, 10, 20, 30)]
    schedule.refresh_from_db()
    assert schedule.next_run_at == NINE + timedelta(seconds=40)


@pytest.mark.django_db
def test_a_scheduler_that_comes_seconds_late_still_runs_the_time() -> None:
    schedule = make_due_at(make_schedule(cron="0 10 * * *"), NINE + timedelta(hours=1))
    fire_due(10, now=NINE + timedelta(hours=1, seconds=2))
    assert outcomes(schedule) == [("10:00:00", "enqueued")]


@pytest.mark.django_db
def test_missed_times_are_made_up_for_by_one_job() -> None:
    schedule = make_due_at(make_schedule(cron="* * * * *"), NINE)
    fire_due(10, now=NINE + timedelta(hours=3, seconds=5))
    assert outcomes(schedule) == [("09:00:00", "coalesced"), ("12:00:00", "enqueued")]
    assert "180 missed since 2026-05-04 09:00:00Z" in schedule.firings.earliest("id").reason
    assert Job.objects.count() == 1


@pytest.mark.django_db
def test_one_missed_time_is_made_up_for_and_says_how_late() -> None:
    schedule = make_due_at(make_schedule(cron="0 9 * * *"), NINE)
    fire_due(10, now=NINE + timedelta(hours=1, minutes=21))
    firing = schedule.firings.get()
    assert (firing.nominal_time, firing.outcome) == (NINE, "late")
    assert "1:21:00 late" in firing.reason
    assert firing.lateness_ms == 81 * 60_000


@pytest.mark.django_db
def test_missed_times_can_be_skipped_and_the_history_says_so() -> None:
    schedule = make_schedule(cron="0 9 * * *", missed_policy=MissedPolicy.SKIP)
    make_due_at(schedule, NINE)
    fire_due(10, now=NINE + timedelta(hours=1, minutes=21))
    assert outcomes(schedule) == [("09:00:00", "missed")]
    assert not Job.objects.exists()
    assert seconds_to_next_due() is not None


@pytest.mark.django_db
def test_skipping_what_was_missed_still_fires_what_is_due_now() -> None:
    schedule = make_schedule(cron="* * * * *", missed_policy=MissedPolicy.SKIP)
    make_due_at(schedule, NINE)
    fire_due(10, now=NINE + timedelta(minutes=5, seconds=30))
    assert outcomes(schedule) == [("09:04:00", "missed"), ("09:05:00", "enqueued")]
    assert "5 since" in schedule.firings.get(outcome="missed").reason


@pytest.mark.django_db
def test_an_outage_of_years_of_seconds_is_dealt_with_at_once() -> None:
    schedule = make_due_at(make_schedule(cron="* * * * * *"), NINE)
    fire_due(10, now=NINE + timedelta(days=700))
    assert [outcome for _, outcome in outcomes(schedule)] == ["coalesced", "enqueued"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "corruption",
    [
        {"cron": "99 * * * *"},
        {"timezone": "Etc/Unknown"},
        {"args": {"not": "a list"}},
        {"kwargs": {"unknown": 1}},
        {"queue": "q" * 100, "args": [1, 2, 3]},
    ],
)
def test_a_corrupt_row_is_paused_and_the_others_fire(
    corruption: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    rows = [make_due(make_schedule(f"schedule {i}"), timedelta(seconds=1)) for i in range(5)]
    bad = rows[2]
    JobSchedule.objects.filter(id=bad.id).update(**corruption)
    with caplog.at_level(logging.ERROR, logger="controlplane"):
        assert fire_due(10) == 5
        assert fire_due(10) == 0
    assert Job.objects.count() == 4
    bad.refresh_from_db()
    assert (bad.schedule_status, bad.next_run_at) == (ScheduleStatus.PAUSED, None)
    assert bad.status_reason
    assert caplog.text.count(f"schedule {bad.id} (schedule 2) is paused") == 1
    event = AuditEvent.objects.get(event_type=EventType.SCHEDULE_BROKEN)
    assert (event.target_id, event.metadata["reason"]) == (bad.id, bad.status_reason)


@pytest.mark.django_db
def test_a_schedule_whose_calendar_ends_fires_its_last_time_and_is_paused() -> None:
    end = datetime(9998, 12, 31, 23, 59, tzinfo=UTC)
    schedule = make_due_at(make_schedule(cron="* * * * *"), end)
    fire_due(10, now=end + timedelta(seconds=1))
    schedule.refresh_from_db()
    assert (schedule.schedule_status, schedule.next_run_at) == (ScheduleStatus.PAUSED, None)
    assert "no time left" in schedule.status_reason
    assert Job.objects.count() == 1


@pytest.mark.django_db
def test_a_task_that_nobody_knows_is_flagged() -> None:
    schedule = make_due(make_schedule())
    JobSchedule.objects.filter(id=schedule.id).update(task="tests.sample_app.tasks.gone")
    fire_due(10)
    schedule.refresh_from_db()
    assert (schedule.schedule_status, schedule.cron) == ("TASK_NOT_FOUND", YEARLY)
    assert AuditEvent.objects.filter(event_type=EventType.SCHEDULE_TASK_NOT_FOUND).count() == 1


@pytest.mark.django_db
def test_a_task_that_a_live_worker_knows_is_left_to_its_release() -> None:
    schedule = make_due(make_schedule())
    JobSchedule.objects.filter(id=schedule.id).update(task="tests.sample_app.tasks.newer")
    make_worker(tasks=["tests.sample_app.tasks.newer"])
    assert fire_due(10) == 0
    schedule.refresh_from_db()
    assert schedule.schedule_status == ScheduleStatus.ENABLED
    assert seconds_to_next_due() is None


@pytest.mark.django_db
def test_a_batch_takes_the_longest_waiting_first() -> None:
    late = make_due(make_schedule("late"), timedelta(seconds=9))
    make_due(make_schedule("later"), timedelta(seconds=5))
    assert fire_due(1) == 1
    assert Firing.objects.get().schedule_id == late.id


@pytest.mark.django_db
def test_very_many_times_are_dealt_with_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(materialise, "MAX_SLOTS", 10)
    for number in range(5):
        schedule = make_schedule(
            f"schedule {number}",
            cron="* * * * *",
            overlap_policy=OverlapPolicy.ALLOW,
            missed_policy=MissedPolicy.RUN_ALL,
            missed_limit=30 if number == 4 else 4,
        )
        make_due_at(schedule, NINE + timedelta(seconds=number))
    now = NINE + timedelta(hours=1)
    dealt = []
    while (found := fire_due(10, now=now)) == 10:
        dealt.append(Job.objects.count())
    assert dealt == [8, 16]
    assert (found, Job.objects.count()) == (1, 46)


@pytest.mark.django_db
def test_firing_many_takes_a_fixed_number_of_queries(
    django_assert_max_num_queries: pytest.FixtureRequest,
) -> None:
    for i in range(50):
        make_due(make_schedule(f"schedule {i}"))
    with django_assert_max_num_queries(20):  # type: ignore[operator]
        fire_due(100)
    assert Job.objects.count() == 50


@pytest.mark.django_db(transaction=True)
def test_racing_schedulers_make_each_time_one_job() -> None:
    for i in range(40):
        make_due(make_schedule(f"schedule {i}", overlap_policy=OverlapPolicy.ALLOW))
    start = threading.Barrier(4)
    counts: list[int] = []

    def schedule_some() -> None:
        start.wait()
        try:
            for _ in range(12):
                counts.append(fire_due(7))
        finally:
            connection.close()

    threads = [threading.Thread(target=schedule_some) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts) == Job.objects.count() == Firing.objects.count() == 40
    assert not JobSchedule.objects.filter(next_run_at__lte=F("last_fired_at")).exists()


@pytest.mark.django_db
def test_the_wait_ends_at_the_next_due_time() -> None:
    assert seconds_to_next_due() is None
    make_schedule(cron="* * * * *")
    wait = seconds_to_next_due()
    assert wait is not None and 0 <= wait <= 60
