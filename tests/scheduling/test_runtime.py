"""The scheduler as a process: exactly once with several, woken by changes, unharmed by kill -9."""

import signal
from datetime import timedelta

import pytest
from django.db.models import Count, F
from django.db.models.functions import Now

from controlplane.actors import SYSTEM
from jobs.models import Job, Worker
from scheduling.actions import resume_schedule
from scheduling.lifecycle import OverlapPolicy
from scheduling.models import Firing, JobSchedule
from scheduling.runtime import LEAST_PAUSE, SchedulerLoop
from tests.conftest import StartCommand
from tests.scheduling.factories import make_due, make_schedule
from tests.waiting import wait_until

EACH_SECOND = "* * * * * *"


@pytest.mark.django_db
def test_a_tick_fires_every_batch_and_returns_the_wait() -> None:
    loop = SchedulerLoop()
    loop.batch = 2
    for i in range(5):
        make_due(make_schedule(f"schedule {i}"))
    wait = loop.tick()
    assert Job.objects.count() == 5
    assert wait is not None and wait > 60


@pytest.mark.django_db
def test_without_schedules_a_tick_asks_for_the_usual_time() -> None:
    assert SchedulerLoop().tick() is None


@pytest.mark.django_db
def test_what_another_scheduler_holds_is_not_asked_for_in_a_tight_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_due(make_schedule())
    monkeypatch.setattr("scheduling.runtime.fire_due", lambda limit: 0)
    assert SchedulerLoop().tick() == LEAST_PAUSE


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_once_fires_what_is_due_and_ends(start_command: StartCommand) -> None:
    make_due(make_schedule())
    bad = make_schedule("bad")
    JobSchedule.objects.filter(id=bad.id).update(timezone="Etc/Unknown")
    process = start_command("runscheduler", "--once")
    assert process.wait() == 0
    assert Job.objects.count() == 1
    bad.refresh_from_db()
    assert bad.schedule_status == "PAUSED"


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_a_resumed_schedule_wakes_a_sleeping_scheduler(start_command: StartCommand) -> None:
    schedule = make_schedule(cron=EACH_SECOND, enabled=False)
    process = start_command("runscheduler", options={"scheduler_tick_seconds": 600})
    process.wait_for_log("scheduler started")
    wait_until(lambda: Worker.objects.filter(kind="scheduler").exists())
    resume_schedule(schedule_id=schedule.id, actor=SYSTEM)
    wait_until(Firing.objects.exists, what="a firing long before the tick", explain=process.log)
    process.terminate()
    assert process.wait() == 0
    assert Worker.objects.get(kind="scheduler").stopped_at is not None


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_killed_and_restarted_schedulers_fire_each_second_exactly_once(
    start_command: StartCommand,
) -> None:
    for i in range(10):
        make_schedule(f"schedule {i}", cron=EACH_SECOND, overlap_policy=OverlapPolicy.ALLOW)
    steady, victim = start_command("runscheduler"), start_command("runscheduler")
    for _ in range(3):
        victim.wait_for_log("scheduler started")
        reached = Firing.objects.count() + 20
        wait_until(
            lambda reached=reached: Firing.objects.count() >= reached,  # type: ignore[misc]
            what=f"{reached} firings",
            explain=lambda: steady.log(),
        )
        victim.send(signal.SIGKILL)
        victim.wait()
        victim = start_command("runscheduler")
    victim.wait_for_log("scheduler started")
    for process in (steady, victim):
        process.terminate()
        assert process.wait() == 0

    for schedule in JobSchedule.objects.all():
        times = list(
            schedule.firings.order_by("nominal_time").values_list("nominal_time", flat=True)
        )
        expected = [times[0] + timedelta(seconds=n) for n in range(len(times))]
        assert times == expected
    assert Firing.objects.filter(outcome="enqueued").count() == Job.objects.count()
    assert Firing.objects.exclude(outcome="enqueued").count() == 0
    doubled = Firing.objects.values("job_id").annotate(n=Count("id")).filter(n__gt=1)
    assert not doubled.exists()
    stuck = JobSchedule.objects.filter(next_run_at__lt=Now() - timedelta(seconds=30))
    assert not stuck.exists()
    assert not JobSchedule.objects.filter(next_run_at__lte=F("last_fired_at")).exists()
