"""Faults that people reported of other schedulers, one test or more for each, by the case's id.

B13, B14, B15, B20 and B21 need real processes: see tests/processes/test_schedulers.py.
"""

import logging
import time
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from controlplane.actors import SYSTEM
from jobs.models import Job
from scheduling import actions, cron
from scheduling.errors import InvalidCron
from scheduling.lifecycle import MissedPolicy, OverlapPolicy, ScheduleStatus
from scheduling.materialise import fire_due
from scheduling.models import Firing, JobSchedule
from scheduling.normalise import normalise
from scheduling.times import Times, describe, fires
from tests.factories import claim, make_worker, succeed
from tests.scheduling.factories import (
    NOOP,
    make_due,
    make_due_at,
    make_schedule,
    outcomes,
)

NEW_YORK = "America/New_York"
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def shown(expression: str, zone: str, after: str, count: int) -> list[str]:
    found = cron.next_fires(expression, zone, at(after), count)
    return [f"{fire:%Y-%m-%d %H:%M}" for fire in found]


def tick(schedule: JobSchedule, first: str, until: str, step: timedelta) -> None:
    """A scheduler that looks every so often, from the first due time on; jobs end at once."""
    make_due_at(schedule, at(first))
    now = at(first)
    worker = make_worker()
    while now <= at(until):
        fire_due(10, now=now)
        for job_id in Job.objects.unfinished().values_list("id", flat=True):
            succeed(claim(job_id, worker))
        now += step


@pytest.mark.django_db
@pytest.mark.parametrize(
    "expression",
    [
        "0 0 31 2 *",
        "0 0 30 2 *",
        "0 12 31 4 *",
        "0 0 31 4,6,9,11 *",
        "0 0 1 1 * 0 2024",
        "0 1 0/10 * *",
    ],
)
def test_b01_b02_b04_what_never_fires_is_refused_quickly_and_not_stored(expression: str) -> None:
    begun = time.perf_counter()
    with pytest.raises(InvalidCron) as refusal:
        make_schedule(cron=expression)
    assert time.perf_counter() - begun < 0.2
    assert refusal.value.field == "cron"
    if len(expression.split()) == 5 and "/" not in expression:
        assert "never fires" in refusal.value.message
    assert not JobSchedule.objects.exists()


def test_b02_the_31st_of_any_month_is_accepted() -> None:
    assert shown("0 0 31 * *", "UTC", "2026-04-01", 2) == ["2026-05-31 00:00", "2026-07-31 00:00"]


def test_b03_leap_days_come_where_there_are_some() -> None:
    assert shown("0 0 29 2 *", "UTC", "2028-02-29", 1) == ["2032-02-29 00:00"]
    assert shown("0 0 29 2 *", "UTC", "2096-03-01", 1) == ["2104-02-29 00:00"]


def test_b04_the_last_day_is_each_months_own() -> None:
    assert [text[:10] for text in shown("0 0 31,L * *", "UTC", "2026-08-01", 4)] == [
        "2026-08-31",
        "2026-09-30",
        "2026-10-31",
        "2026-11-30",
    ]


def test_b05_a_daily_time_keeps_its_wall_time_over_a_change() -> None:
    assert shown("4 16 * * *", NEW_YORK, "2026-03-07", 2) == [
        "2026-03-07 21:04",
        "2026-03-08 20:04",
    ]
    assert shown("4 16 * * *", NEW_YORK, "2026-10-31", 2) == [
        "2026-10-31 20:04",
        "2026-11-01 21:04",
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("last", ["2026-11-01 05:30", "2026-11-01 06:30"])
def test_b06_a_last_run_in_the_repeated_hour_stops_nothing(last: str) -> None:
    schedule = make_schedule(cron="30 1 * * *", timezone=NEW_YORK)
    JobSchedule.objects.update(last_fired_at=at(last))
    tick(schedule, "2026-11-01 05:30", "2026-11-01 08:00", timedelta(minutes=1))
    assert outcomes(schedule) == [("05:30:00", "enqueued")]
    schedule.refresh_from_db()
    assert schedule.next_run_at == at("2026-11-02 06:30")


def test_b07_after_the_clock_goes_back_it_goes_on_six_times_in_each_real_hour() -> None:
    found = cron.next_fires("*/10 * * * *", "Europe/Paris", at("2026-10-24 22:59"), 30)
    for hour in range(5):
        begin = at("2026-10-24 23:00") + hour * HOUR
        assert len([fire for fire in found if begin <= fire < begin + HOUR]) == 6


@pytest.mark.parametrize("zone", [NEW_YORK, "Australia/Lord_Howe", "Pacific/Chatham"])
@pytest.mark.parametrize("expression", ["*/20 * * * *", "30 1,2 * * *", "0 0 L * *", "@hourly"])
def test_b08_fires_always_go_forward(expression: str, zone: str) -> None:
    found = cron.next_fires(expression, zone, at("2026-03-01"), 500)
    assert found == sorted(set(found))
    assert len(found) == 500


@pytest.mark.django_db
def test_b09_a_run_in_the_gap_is_not_lost_and_the_history_says_where_it_went() -> None:
    schedule = make_schedule(cron="30 2 * * *", timezone=NEW_YORK)
    tick(schedule, "2026-03-08 07:00", "2026-03-09 06:00", HOUR)
    firing = schedule.firings.get()
    assert (firing.nominal_time, firing.outcome) == (at("2026-03-08 07:00"), "enqueued")
    assert firing.reason == "moved: 02:30 did not exist"


def test_b10_a_repeat_of_half_an_hour_fires_once() -> None:
    assert shown("45 1 * * *", "Australia/Lord_Howe", "2026-04-04", 2) == [
        "2026-04-04 14:45",
        "2026-04-05 15:15",
    ]


def test_b11_an_interval_in_days_keeps_wall_time_one_in_hours_keeps_elapsed_time() -> None:
    anchor = at("2019-03-26 15:00")  # 16:00 in Brussels, before the clock goes forward
    wall = Times(interval_days=7, anchor_at=anchor, timezone="Europe/Brussels")
    elapsed = Times(interval_seconds=168 * 3600, anchor_at=anchor, timezone="Europe/Brussels")
    assert next(islice(fires(wall, anchor), 1)) == at("2019-04-02 14:00")
    assert next(islice(fires(elapsed, anchor), 1)) == at("2019-04-02 15:00")
    assert describe(wall) == "Every 7 days at 16:00, whatever the clock does"
    assert describe(elapsed) == "Every 7 days of elapsed time"


@pytest.mark.django_db
@pytest.mark.parametrize("zone", ["Etc/Unknown", "US/Pacific-New"])
def test_b12_an_unknown_zone_stops_its_own_schedule_only(
    zone: str, operator_client: Client
) -> None:
    rows = [make_due(make_schedule(f"schedule {number}")) for number in range(5)]
    JobSchedule.objects.filter(id=rows[0].id).update(timezone=zone)
    fire_due(10)
    assert Job.objects.count() == 4
    bad = JobSchedule.objects.get(id=rows[0].id)
    assert bad.schedule_status == ScheduleStatus.PAUSED
    assert zone in bad.status_reason and "unknown" in bad.status_reason
    for page in (reverse("scheduling:list"), reverse("scheduling:detail", args=[bad.id])):
        assert operator_client.get(page).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (MissedPolicy.RUN_ONCE, [("09:00:00", "late")]),
        (MissedPolicy.SKIP, [("09:00:00", "missed")]),
    ],
)
def test_b16_a_time_missed_for_an_hour_is_made_up_for_or_told_of(
    policy: str, expected: list[tuple[str, str]]
) -> None:
    schedule = make_schedule(cron="0 9 * * *", missed_policy=policy)
    make_due_at(schedule, at("2026-05-04 09:00"))
    fire_due(10, now=at("2026-05-04 10:21"))
    assert outcomes(schedule) == expected
    assert Job.objects.count() == (policy == MissedPolicy.RUN_ONCE)
    assert schedule.firings.get().lateness_ms == 81 * 60_000


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("values", "jobs"),
    [
        ({"missed_policy": MissedPolicy.RUN_ONCE}, 1),
        ({"missed_policy": MissedPolicy.RUN_ALL, "missed_limit": 7}, 7),
        (
            {
                "missed_policy": MissedPolicy.RUN_ALL,
                "missed_limit": 7,
                "overlap_policy": OverlapPolicy.ALLOW,
            },
            7,
        ),
    ],
)
def test_b17_three_hours_of_minutes_bring_neither_a_storm_nor_silence(
    values: dict[str, Any], jobs: int
) -> None:
    schedule = make_schedule(cron="* * * * *", **values)
    make_due_at(schedule, at("2026-05-04 09:00"))
    now = at("2026-05-04 12:00") + timedelta(seconds=5)
    fire_due(10, now=now)
    assert Job.objects.count() == jobs
    assert any("since 2026-05-04 09:00:00Z" in f.reason for f in schedule.firings.all())
    fire_due(10, now=now + timedelta(seconds=50))
    assert Job.objects.count() == jobs
    schedule.refresh_from_db()
    assert schedule.next_run_at == at("2026-05-04 12:01")


@pytest.mark.django_db
@pytest.mark.parametrize("how", ["one by one", "in bulk"])
def test_b18_resuming_runs_nothing(how: str) -> None:
    rows = [make_schedule(f"schedule {n}", cron="0 17 * * *") for n in range(3)]
    ids = [row.id for row in rows]
    actions.pause_schedules(schedule_ids=ids, actor=SYSTEM)
    JobSchedule.objects.update(quiet_since=Now() - timedelta(days=1, hours=1))
    if how == "in bulk":
        assert actions.resume_schedules(schedule_ids=ids, actor=SYSTEM).done == ids
    else:
        for id_ in ids:
            actions.resume_schedule(schedule_id=id_, actor=SYSTEM)
    assert fire_due(100) == 0
    assert not Job.objects.exists()
    assert {f.outcome for f in Firing.objects.all()} == {"skipped_paused"}
    assert not JobSchedule.objects.filter(next_run_at__lte=Now()).exists()


@pytest.mark.django_db
def test_b19_editing_one_of_fifty_runs_none() -> None:
    rows = [make_schedule(f"schedule {number}", cron="0 17 * * *") for number in range(50)]
    before = dict(JobSchedule.objects.values_list("id", "next_run_at"))
    edited = rows[25].id
    actions.update_schedule(schedule_id=edited, actor=SYSTEM, description="other words")
    actions.update_schedule(schedule_id=edited, actor=SYSTEM, cron="0 18 * * *")
    assert fire_due(100) == 0
    assert not Job.objects.exists()
    after = dict(JobSchedule.objects.values_list("id", "next_run_at"))
    assert {id_ for id_ in before if before[id_] != after[id_]} == {edited}


@pytest.mark.django_db
def test_b22_a_weekly_schedule_runs_however_often_the_scheduler_starts_anew() -> None:
    schedule = make_schedule(cron="30 8 * * 3")
    make_due_at(schedule, at("2026-05-06 08:30"))
    now = at("2026-05-04 00:00")
    while now < at("2026-05-25 00:00"):
        if now.hour % 6 == 0:
            normalise()
        fire_due(10, now=now + timedelta(minutes=30))
        now += HOUR
        for job_id in Job.objects.unfinished().values_list("id", flat=True):
            succeed(claim(job_id, make_worker()))
    days = [f"{f.nominal_time:%m-%d}" for f in schedule.firings.order_by("nominal_time")]
    assert days == ["05-06", "05-13", "05-20"]
    assert {f.outcome for f in schedule.firings.all()} == {"enqueued"}


@pytest.mark.django_db
def test_b23_one_corrupt_row_among_five_hundred_stops_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    JobSchedule.objects.bulk_create(
        JobSchedule(
            name=f"schedule {number}",
            task=NOOP,
            cron="not cron at all" if number == 250 else "0 17 * * *",
            schedule_status=ScheduleStatus.ENABLED,
            next_run_at=Now(),
        )
        for number in range(500)
    )
    with caplog.at_level(logging.ERROR, logger="controlplane"):
        while fire_due(100):
            continue
        for _ in range(5):
            fire_due(100)
    assert Job.objects.count() == Firing.objects.filter(outcome="enqueued").count() == 499
    assert caplog.text.count("is paused") == 1
    bad = JobSchedule.objects.get(name="schedule 250")
    assert (bad.schedule_status, bool(bad.status_reason)) == (ScheduleStatus.PAUSED, True)
