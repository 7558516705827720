"""Overlap, by policy: what a due time becomes while an earlier job is unfinished, also in races."""

from datetime import timedelta
from itertools import pairwise

import pytest

from audit.models import AuditEvent
from controlplane.actors import SYSTEM
from jobs.lifecycle import Outcome, Status
from jobs.models import Job
from jobs.settlement import Fate
from scheduling.actions import run_now
from scheduling.due_times import Fate as SlotFate
from scheduling.due_times import Slot
from scheduling.errors import InvalidTransition
from scheduling.firings import fire
from scheduling.lifecycle import MissedPolicy, OverlapPolicy
from scheduling.materialise import fire_due
from scheduling.models import Firing, JobSchedule
from tests.concurrency import together
from tests.factories import claim, fail, make_job, make_worker, succeed
from tests.scheduling.factories import NINE, make_due, make_due_at, make_schedule, outcomes

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)
ALONE = [p for p in OverlapPolicy if p != OverlapPolicy.ALLOW]


def due_again(schedule: JobSchedule, seconds: float) -> Firing:
    """Its time comes, and a scheduler looks; what became of it."""
    make_due(schedule, timedelta(seconds=seconds))
    assert fire_due(10) == 1
    return schedule.firings.latest("id")


def jobs_of(schedule: JobSchedule) -> list[str]:
    rows = Job.objects.filter(trigger_id=schedule.id).order_by("id")
    return [str(status) for status in rows.values_list("status", flat=True)]


def run(job_id: int | None) -> None:
    assert job_id is not None
    succeed(claim(job_id, make_worker()))


def test_skip_makes_no_second_job_and_says_so() -> None:
    schedule = make_schedule(overlap_policy=OverlapPolicy.SKIP)
    due_again(schedule, 9)
    firing = due_again(schedule, 8)
    assert (firing.outcome, firing.job_id) == ("skipped_overlap", None)
    assert jobs_of(schedule) == ["PENDING"]


def test_buffer_one_lets_one_job_wait_and_skips_what_comes_then() -> None:
    schedule = make_schedule(overlap_policy=OverlapPolicy.BUFFER_ONE)
    first = due_again(schedule, 9)
    second = due_again(schedule, 8)
    third = due_again(schedule, 7)
    assert [f.outcome for f in (first, second, third)] == [
        "enqueued",
        "buffered",
        "skipped_overlap",
    ]
    assert second.reason == f"waits for job {first.job_id}"
    assert jobs_of(schedule) == ["PENDING", "BLOCKED"]
    run(first.job_id)
    assert jobs_of(schedule) == ["SUCCEEDED", "PENDING"]
    assert due_again(schedule, 6).outcome == "buffered"


def test_cancel_running_asks_the_earlier_job_to_stop_and_follows_it() -> None:
    schedule = make_schedule(overlap_policy=OverlapPolicy.CANCEL_RUNNING)
    first = due_again(schedule, 9)
    assert first.job_id is not None
    execution = claim(first.job_id, make_worker())
    second = due_again(schedule, 8)
    assert (second.outcome, second.reason) == (
        "cancelled_running",
        f"job {first.job_id} was asked to stop for it",
    )
    assert jobs_of(schedule) == ["RUNNING", "BLOCKED"]
    assert AuditEvent.objects.get(event_type="JOB_CANCEL_REQUESTED").target_id == first.job_id
    assert due_again(schedule, 7).outcome == "skipped_overlap"
    fail(execution, outcome=Outcome.CANCELLED, fate=Fate.TRY_AGAIN)
    assert jobs_of(schedule) == ["CANCELLED", "PENDING"]


def test_cancel_running_takes_the_place_of_a_job_that_has_not_begun() -> None:
    schedule = make_schedule(overlap_policy=OverlapPolicy.CANCEL_RUNNING)
    due_again(schedule, 9)
    assert due_again(schedule, 8).outcome == "cancelled_running"
    assert jobs_of(schedule) == ["CANCELLED", "PENDING"]


def test_cancel_running_runs_the_last_of_several_due_times_only() -> None:
    schedule = make_schedule(cron="* * * * * *", overlap_policy=OverlapPolicy.CANCEL_RUNNING)
    make_due_at(schedule, NINE)
    fire_due(10, now=NINE + 2 * SECOND)
    assert outcomes(schedule) == [
        ("09:00:00", "coalesced"),
        ("09:00:01", "coalesced"),
        ("09:00:02", "enqueued"),
    ]
    assert jobs_of(schedule) == ["PENDING"]


def test_allow_makes_a_job_for_each_time() -> None:
    schedule = make_schedule(overlap_policy=OverlapPolicy.ALLOW)
    assert [due_again(schedule, 9 - i).outcome for i in range(3)] == ["enqueued"] * 3
    assert jobs_of(schedule) == ["PENDING"] * 3


@pytest.mark.parametrize("policy", ALONE)
def test_a_job_that_rests_until_its_next_attempt_is_unfinished(policy: str) -> None:
    schedule = make_schedule(overlap_policy=policy)
    first = due_again(schedule, 9)
    assert first.job_id is not None
    fail(claim(first.job_id, make_worker()), outcome=Outcome.FAILED, fate=Fate.TRY_AGAIN)
    assert due_again(schedule, 8).outcome != "enqueued"


@pytest.mark.parametrize("policy", OverlapPolicy)
def test_a_manual_run_is_refused_while_a_job_runs(policy: str) -> None:
    schedule = make_schedule(overlap_policy=policy)
    make_job(
        Status.RUNNING,
        trigger="schedule",
        trigger_id=schedule.id,
        overlap_key=schedule.overlap_key,
    )
    with pytest.raises(InvalidTransition, match="is RUNNING"):
        run_now(schedule_id=schedule.id, actor=SYSTEM)


def test_a_tasks_own_unique_key_is_respected_too() -> None:
    task = "tests.sample_app.tasks.only_one"
    schedules = [
        make_schedule(policy, task=task, overlap_policy=policy)
        for policy in (OverlapPolicy.ALLOW, OverlapPolicy.BUFFER_ONE)
    ]
    first, second = (due_again(schedule, 5) for schedule in schedules)
    assert first.outcome == "enqueued"
    assert (second.outcome, second.reason) == (
        "skipped_overlap",
        f"job {first.job_id} holds the task's unique key",
    )


@pytest.mark.parametrize("policy", ALONE)
def test_running_all_that_was_missed_runs_it_one_after_another(policy: str) -> None:
    schedule = make_schedule(
        cron="*/10 * * * *",
        overlap_policy=policy,
        missed_policy=MissedPolicy.RUN_ALL,
        missed_limit=3,
    )
    make_due_at(schedule, NINE)
    fire_due(10, now=NINE + timedelta(minutes=45))
    assert outcomes(schedule) == [
        ("09:10:00", "missed"),
        ("09:20:00", "late"),
        ("09:30:00", "late"),
        ("09:40:00", "late"),
    ]
    assert jobs_of(schedule) == ["PENDING", "BLOCKED", "BLOCKED"]
    line = [f.job_id for f in schedule.firings.order_by("nominal_time") if f.job_id]
    for job_id, following in pairwise(line):
        run(job_id)
        assert Job.objects.get(status=Status.PENDING).id == following
    run(line[-1])
    assert jobs_of(schedule) == ["SUCCEEDED"] * 3


def test_with_overlap_allowed_all_that_was_missed_runs_at_once() -> None:
    schedule = make_schedule(
        cron="* * * * *",
        overlap_policy=OverlapPolicy.ALLOW,
        missed_policy=MissedPolicy.RUN_ALL,
        missed_limit=5,
    )
    make_due_at(schedule, NINE)
    fire_due(10, now=NINE + timedelta(hours=3))
    assert jobs_of(schedule) == ["PENDING"] * 5


def test_lateness_is_measured_and_a_job_that_is_not_due_has_none() -> None:
    schedule = make_schedule()
    due = Slot(NINE)
    late = NINE + timedelta(seconds=2.5)
    (firing,) = fire([(schedule, due)], kind=Firing.Kind.DUE, now=late)
    assert firing.lateness_ms == 2500
    (firing,) = fire(
        [(schedule, Slot(NINE, SlotFate.QUEUE_UP))], kind=Firing.Kind.BACKFILL, now=late
    )
    assert (firing.lateness_ms, firing.outcome) == (0, "enqueued")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("policy", OverlapPolicy)
def test_two_schedulers_and_a_racing_manual_run_keep_to_the_policy(policy: str) -> None:
    """Whoever is first: at most one job holds the key, at most one waits, each time has one row."""
    for number in range(8):
        schedule = make_schedule(f"schedule {number}", overlap_policy=policy)
        make_due(schedule, SECOND)
        results = together(
            lambda: fire_due(10),
            lambda: fire_due(10),
            lambda: run_now(schedule_id=schedule.id, actor=SYSTEM),  # noqa: B023 - ends in the round
            spread=0.01,
        )
        errors = [r for r in results if isinstance(r, BaseException)]
        assert all(isinstance(error, InvalidTransition) for error in errors), results
        fire_due(10)  # what the manual run held at that moment is left to the next tick
        assert schedule.firings.filter(kind="due").count() == 1
        unfinished = Job.objects.unfinished().filter(trigger_id=schedule.id)
        if policy == OverlapPolicy.ALLOW:
            assert unfinished.count() == 2
            continue
        assert unfinished.filter(overlap_key=schedule.overlap_key).count() == 1
        assert unfinished.exclude(overlap_key=schedule.overlap_key).count() <= (
            policy == OverlapPolicy.BUFFER_ONE
        )
        manual = schedule.firings.filter(kind="manual").count()
        assert manual == 1 - len(errors)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("policy", [OverlapPolicy.BUFFER_ONE, OverlapPolicy.CANCEL_RUNNING])
def test_a_job_that_ends_while_schedulers_look_leaves_nobody_waiting(policy: str) -> None:
    for number in range(8):
        schedule = make_schedule(f"schedule {number}", overlap_policy=policy)
        first = due_again(schedule, 5)
        assert first.job_id is not None
        execution = claim(first.job_id, make_worker())
        make_due(schedule, SECOND)
        together(
            lambda: fire_due(10),
            lambda: fire_due(10),
            lambda: succeed(execution),  # noqa: B023 - ends in the round
            spread=0.01,
        )
        assert jobs_of(schedule) in (["SUCCEEDED", "PENDING"], ["CANCELLED", "PENDING"])
