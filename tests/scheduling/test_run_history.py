"""The runs of one schedule, with the times they stood for."""

from datetime import timedelta

import pytest
from django.utils import timezone

from jobs.lifecycle import Status
from jobs.models import JobExecution
from scheduling.models import Firing
from scheduling.orders import RUNS
from scheduling.run_filters import RunFilter
from scheduling.run_history import run_page, runs_of, with_firings
from tests.factories import make_job
from tests.scheduling.factories import make_schedule

pytestmark = pytest.mark.django_db


def test_runs_are_those_of_the_schedules_jobs_only() -> None:
    schedule, other = make_schedule("a"), make_schedule("b")
    mine = make_job(Status.SUCCEEDED, trigger="schedule", trigger_id=schedule.id)
    make_job(Status.SUCCEEDED, trigger="schedule", trigger_id=other.id)
    make_job(Status.SUCCEEDED, trigger="page", trigger_id=schedule.id)
    make_job(trigger="schedule", trigger_id=schedule.id)
    assert [run.job_id for run in runs_of(schedule)] == [mine.id]


def test_pages_come_in_any_order_and_end() -> None:
    schedule = make_schedule()
    now = timezone.now()
    ids = []
    for number in range(5):
        job = make_job(Status.SUCCEEDED, trigger="schedule", trigger_id=schedule.id)
        start = now - timedelta(hours=number)
        rows = JobExecution.objects.filter(job=job)
        rows.update(started_at=start, finished_at=start + timedelta(seconds=number % 3))
        ids.append(rows.get().id)
    running = make_job(Status.RUNNING, trigger="schedule", trigger_id=schedule.id)
    ids.append(JobExecution.objects.get(job=running).id)

    def listed(order: str) -> list[int]:
        page = run_page(schedule, RunFilter(), RUNS[order], None, 10)
        return [ids.index(run.id) for run in page.items]

    assert listed("-run") == [5, 4, 3, 2, 1, 0]
    assert listed("start") == [4, 3, 2, 1, 0, 5]
    assert listed("-duration") == [2, 4, 1, 3, 0, 5]
    assert listed("end")[-1] == 5  # what has not ended comes last
    page = run_page(schedule, RunFilter(), RUNS["-run"], None, 4)
    assert (len(page.items), bool(page.next), page.previous) == (4, True, "")


def test_a_run_knows_its_time_and_how_late_it_began() -> None:
    schedule, now = make_schedule(), timezone.now()
    job = make_job(Status.SUCCEEDED, trigger="schedule", trigger_id=schedule.id)
    JobExecution.objects.filter(job=job).update(started_at=now)
    firing = Firing.objects.create(
        schedule=schedule, nominal_time=now - timedelta(seconds=3), outcome="enqueued", job=job
    )
    (run,) = with_firings(list(runs_of(schedule)))
    assert run.firing == firing
    assert run.lateness == timedelta(seconds=3)
    Firing.objects.update(kind="manual")
    assert with_firings(list(runs_of(schedule)))[0].lateness is None
    Firing.objects.all().delete()
    assert with_firings(list(runs_of(schedule)))[0].firing is None
