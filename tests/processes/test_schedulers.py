"""Schedulers as real processes, killed as they work: each time fires once, and nothing is stuck."""

import itertools
import random
import signal
import threading
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.db.models import Count, Max, Min
from django.db.models.functions import Now

from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution
from scheduling.clock import time_now
from scheduling.lifecycle import MissedPolicy, OverlapPolicy
from scheduling.models import Firing, JobSchedule
from tests.conftest import StartCommand
from tests.sample_app.witness import testimony
from tests.scheduling.factories import make_schedule
from tests.started import StartedProcess
from tests.waiting import wait_until

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]

EACH_SECOND = "* * * * * *"
SECOND = timedelta(seconds=1)
#: Schedules whose ticks take long enough to be killed within, and short enough for one process.
MANY = 100
_never_set = threading.Event()


def soon(seconds: float) -> datetime:
    """A whole second of the database's clock, so many from now."""
    return time_now().replace(microsecond=0) + timedelta(seconds=seconds)


def start(start_command: StartCommand) -> StartedProcess:
    process = start_command("runscheduler")
    process.wait_for_log("scheduler started")
    return process


def wait_for_all(processes: list[StartedProcess]) -> None:
    for process in processes:
        process.wait_for_log("scheduler started")


def fire_each_second(start_command: StartCommand, *, seconds: int, kill_every: float) -> None:
    """Four schedulers, one killed every so often and replaced: as many jobs as there are slots."""
    begin = soon(12)
    last = begin + (seconds - 1) * SECOND
    for number in range(50):
        make_schedule(
            f"schedule {number}",
            cron=EACH_SECOND,
            overlap_policy=OverlapPolicy.ALLOW,
            starts_at=begin,
            ends_at=last,
        )
    processes = [start_command("runscheduler") for _ in range(4)]
    wait_for_all(processes)
    assert time_now() < begin, "too slow a machine for this test"
    wait_until(lambda: time_now() >= begin, what="the first slot")
    killed = 0
    while time_now() < last:
        _never_set.wait(kill_every)
        processes.pop(random.randrange(len(processes))).kill()
        processes.append(start_command("runscheduler"))
        killed += 1
    assert killed >= seconds / kill_every / 2
    wait_until(
        lambda: not JobSchedule.objects.enabled().exists(),
        what="the end of every schedule",
        explain=lambda: processes[-1].log(),
    )
    slots = 50 * seconds
    assert Job.objects.count() == slots
    assert Firing.objects.filter(outcome="enqueued").count() == slots
    assert Firing.objects.aggregate(first=Min("nominal_time"), last=Max("nominal_time")) == {
        "first": begin,
        "last": last,
    }
    jobs = Firing.objects.values("job_id").annotate(n=Count("id"))
    assert not jobs.filter(n__gt=1).exists()
    late = sorted(Firing.objects.values_list("lateness_ms", flat=True))
    assert late[len(late) * 99 // 100] < 2000


def test_b13_four_schedulers_killed_in_turn_make_as_many_jobs_as_slots(
    start_command: StartCommand,
) -> None:
    fire_each_second(start_command, seconds=20, kill_every=3)


@pytest.mark.soak
def test_four_schedulers_killed_in_turn_for_a_minute_make_as_many_jobs_as_slots(
    start_command: StartCommand,
) -> None:
    fire_each_second(start_command, seconds=60, kill_every=5)


def kill_within_ticks(start_command: StartCommand, *, kills: int) -> None:
    """Ticks so large that most of the time is spent within one; a kill at any moment of them."""
    for number in range(MANY):
        make_schedule(f"schedule {number}", cron=EACH_SECOND, missed_policy=MissedPolicy.RUN_ONCE)
    processes = [start_command("runscheduler") for _ in range(3)]
    for _ in range(kills):
        victim = processes.pop(0)
        victim.wait_for_log("scheduler started")
        _never_set.wait(random.uniform(0, 0.5))
        victim.kill()
        processes.append(start_command("runscheduler"))
    wait_for_all(processes)
    two_ticks = timedelta(seconds=2 * 0.5)
    stuck = JobSchedule.objects.enabled().filter(next_run_at__lt=Now() - two_ticks)
    wait_until(lambda: not stuck.exists(), what="nothing stuck", explain=processes[0].log)
    assert JobSchedule.objects.enabled().count() == MANY
    assert "is paused" not in "".join(process.log() for process in processes)
    made = Firing.objects.filter(job__isnull=False)
    assert made.count() == Job.objects.count()
    for process in processes:
        process.terminate()
        assert process.wait() == 0


def test_b20_schedulers_killed_within_their_ticks_leave_nothing_stuck(
    start_command: StartCommand,
) -> None:
    kill_within_ticks(start_command, kills=20)


@pytest.mark.soak
def test_schedulers_killed_within_very_many_ticks_leave_nothing_stuck(
    start_command: StartCommand,
) -> None:
    kill_within_ticks(start_command, kills=200)


def test_b15_a_scheduler_that_comes_after_the_time_still_runs_it(
    start_command: StartCommand,
) -> None:
    first = start(start_command)
    moment = soon(3)
    schedule = make_schedule(run_at=moment)
    first.kill()
    wait_until(lambda: time_now() >= moment + 2 * SECOND, what="two seconds after the time")
    second = start(start_command)
    wait_until(schedule.firings.exists, what="the firing", explain=second.log)
    firing = schedule.firings.get()
    assert (firing.nominal_time, firing.outcome) == (moment, "enqueued")
    assert firing.lateness_ms >= 2000
    assert Job.objects.count() == 1


def test_b14_three_schedulers_of_one_host_that_come_and_go_run_each_time_once(
    start_command: StartCommand,
) -> None:
    moment = soon(4)
    for number in range(20):
        make_schedule(f"schedule {number}", run_at=moment)
    processes = [start(start_command) for _ in range(3)]
    while time_now() < moment + SECOND:
        processes.pop(0).send(random.choice([signal.SIGTERM, signal.SIGKILL]))
        processes.append(start_command("runscheduler"))
        _never_set.wait(0.3)
    wait_until(lambda: Firing.objects.count() == 20, what="all", explain=processes[-1].log)
    assert Job.objects.count() == 20


def test_b21_a_run_that_crashed_holds_its_schedule_up_no_longer_than_its_lease(
    start_command: StartCommand, witness: str, tmp_path: Path
) -> None:
    """The executor and its keeper die mid-run; the attempt is settled, and a later slot runs."""
    slow = "tests.sample_app.tasks.slow"
    schedule = make_schedule(
        cron=EACH_SECOND,
        task=slow,
        kwargs={"until": str(tmp_path / "never"), "witness": witness},
        max_attempts=1,
    )
    start(start_command)
    executor = start_command("runexecutor", options={"lease_seconds": 2.0})
    wait_until(lambda: testimony(witness), what="the run", explain=executor.log)
    wait_until(schedule.firings.filter(outcome="skipped_overlap").exists, what="a skip")
    first = Job.objects.earliest("id")
    wait_until(
        JobExecution.objects.filter(job=first, started_at__isnull=False).exists,
        what="the recorded start",
    )
    for child in executor.children():
        child.kill()
    executor.kill()
    start_command("runwatchdog")
    wait_until(
        lambda: Job.objects.filter(id__gt=first.id).exists(),
        what="a job of a later slot",
        explain=lambda: str(list(JobExecution.objects.values())),
    )
    first.refresh_from_db()
    assert first.status == Status.DEAD_LETTER
    skipped = schedule.firings.filter(outcome="skipped_overlap")
    assert all(firing.reason == "an earlier job is unfinished" for firing in skipped)


@pytest.mark.parametrize("policy", [OverlapPolicy.BUFFER_ONE, OverlapPolicy.CANCEL_RUNNING])
def test_with_a_real_executor_the_next_job_follows_the_one_before_it(
    start_command: StartCommand, tmp_path: Path, policy: str
) -> None:
    begin = soon(3)
    make_schedule(
        cron=EACH_SECOND,
        starts_at=begin,
        ends_at=begin + 5 * SECOND,
        task="tests.sample_app.tasks.slow",
        kwargs={"until": str(tmp_path / "go")},
        overlap_policy=policy,
    )
    scheduler = start_command("runscheduler")
    executor = start_command("runexecutor")
    wait_until(
        lambda: not JobSchedule.objects.enabled().exists(),
        what="the end of the schedule",
        explain=scheduler.log,
    )
    (tmp_path / "go").touch()
    wait_until(
        lambda: not Job.objects.unfinished().exists(),
        what="the end of all jobs",
        explain=lambda: executor.log(),
    )
    ends = Counter(Job.objects.values_list("status", flat=True))
    made = Firing.objects.exclude(job=None).count()
    assert ends[Status.SUCCEEDED] + ends[Status.CANCELLED] == made >= 2
    assert bool(ends[Status.CANCELLED]) == (policy == OverlapPolicy.CANCEL_RUNNING)
    runs = list(JobExecution.objects.order_by("claimed_at"))
    for earlier, later in itertools.pairwise(runs):
        assert earlier.finished_at is not None
        assert earlier.finished_at <= later.claimed_at, "two ran side by side"
    assert {run.status for run in runs} <= {Outcome.SUCCEEDED, Outcome.CANCELLED}
