"""What the Process Manager does, row by row of its list: PM1 to PM6 and PM10.

PM7 (history), PM8 (live), PM9 (settings) and PM11 to PM14 are about pages: tests/scheduling/views.
"""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from controlplane.actors import SYSTEM
from jobs.errors import TaskNotFound
from jobs.lifecycle import Outcome
from jobs.models import Job, JobExecution
from jobs.registry import known_tasks
from jobs.settlement import Fate
from scheduling import actions, queries
from scheduling.errors import InvalidTransition, ScheduleLimitReached
from scheduling.lifecycle import ExecutionStatus, ScheduleStatus
from scheduling.materialise import fire_due
from scheduling.models import JobSchedule
from scheduling.normalise import normalise
from tests.factories import claim, fail, make_worker, succeed
from tests.scheduling.conftest import Options
from tests.scheduling.factories import YEARLY, make_due, make_schedule

pytestmark = pytest.mark.django_db

ENABLED, PAUSED, UNSCHEDULED, LOST = (
    ScheduleStatus.ENABLED,
    ScheduleStatus.PAUSED,
    ScheduleStatus.UNSCHEDULED,
    ScheduleStatus.TASK_NOT_FOUND,
)
#: verb -> for each status it may be asked in, the status that follows. Elsewhere: 409.
TABLE: dict[str, tuple[Callable[..., Any], dict[ScheduleStatus, ScheduleStatus]]] = {
    "run": (actions.run_now, {ENABLED: ENABLED, PAUSED: PAUSED, UNSCHEDULED: UNSCHEDULED}),
    "resume": (actions.resume_schedule, {ENABLED: ENABLED, PAUSED: ENABLED}),
    "pause": (actions.pause_schedule, {ENABLED: PAUSED}),
    "disable": (actions.disable_schedule, dict.fromkeys(ScheduleStatus, UNSCHEDULED)),
    "restore": (actions.restore_schedule, {LOST: PAUSED}),
}


def in_status(status: ScheduleStatus) -> JobSchedule:
    schedule = make_schedule(cron="" if status == UNSCHEDULED else YEARLY)
    if status in (PAUSED, LOST):
        JobSchedule.objects.filter(id=schedule.id).update(schedule_status=status, next_run_at=None)
    return schedule


def status_of(schedule: JobSchedule) -> tuple[str, ExecutionStatus]:
    schedule.refresh_from_db()
    return schedule.schedule_status, queries.execution_status(schedule)


def start(schedule: JobSchedule) -> JobExecution:
    return claim(actions.run_now(schedule_id=schedule.id, actor=SYSTEM).id, make_worker())


@pytest.mark.parametrize("status", [ENABLED, PAUSED, UNSCHEDULED])
def test_pm1_running_changes_the_execution_status_only(status: ScheduleStatus) -> None:
    schedule = in_status(status)
    assert status_of(schedule) == (status, ExecutionStatus.READY)
    execution = start(schedule)
    assert status_of(schedule) == (status, ExecutionStatus.RUNNING)
    succeed(execution)
    assert status_of(schedule) == (status, ExecutionStatus.READY)


def test_pm1_a_change_of_the_schedule_status_leaves_a_run_alone() -> None:
    schedule = make_schedule()
    start(schedule)
    actions.pause_schedule(schedule_id=schedule.id, actor=SYSTEM)
    assert status_of(schedule) == (PAUSED, ExecutionStatus.RUNNING)
    actions.disable_schedule(schedule_id=schedule.id, actor=SYSTEM)
    assert status_of(schedule) == (UNSCHEDULED, ExecutionStatus.RUNNING)


@pytest.mark.parametrize(
    ("cron", "enabled", "status"),
    [(YEARLY, False, PAUSED), (YEARLY, True, ENABLED), ("", False, UNSCHEDULED)],
)
def test_pm2_saving_sets_the_status_by_the_times(
    cron: str, enabled: bool, status: ScheduleStatus
) -> None:
    assert make_schedule(cron=cron, enabled=enabled).schedule_status == status


@pytest.mark.parametrize("status", ScheduleStatus)
@pytest.mark.parametrize("verb", TABLE)
def test_pm2_every_verb_from_every_status_is_as_the_table_says(
    verb: str, status: ScheduleStatus
) -> None:
    schedule = in_status(status)
    action, follows = TABLE[verb]
    if status in follows:
        action(schedule_id=schedule.id, actor=SYSTEM)
        assert status_of(schedule)[0] == follows[status]
    else:
        with pytest.raises(InvalidTransition) as refusal:
            action(schedule_id=schedule.id, actor=SYSTEM)
        assert (refusal.value.code, refusal.value.http_status) == ("INVALID_TRANSITION", 409)
        assert status_of(schedule)[0] == status
    schedule.refresh_from_db()
    assert bool(schedule.cron) == (schedule.schedule_status != UNSCHEDULED)
    assert (schedule.next_run_at is not None) == (schedule.schedule_status == ENABLED)


def test_pm2_a_run_is_refused_unless_ready() -> None:
    schedule = make_schedule()
    start(schedule)
    with pytest.raises(InvalidTransition, match="is RUNNING"):
        actions.run_now(schedule_id=schedule.id, actor=SYSTEM)


def test_pm2_a_lost_task_that_is_back_is_restored_with_its_cron() -> None:
    schedule = in_status(LOST)
    actions.restore_schedule(schedule_id=schedule.id, actor=SYSTEM)
    assert (status_of(schedule)[0], schedule.cron) == (PAUSED, YEARLY)


def test_pm3_every_task_of_the_installed_apps_can_be_assigned() -> None:
    found = known_tasks()
    assert {"tests.sample_app.tasks.noop", "jobs.tasks.run_command.run_command"} <= found.keys()
    schedule = make_schedule(task="tests.sample_app.tasks.noop")
    assert (schedule.task, schedule.task_name) == ("tests.sample_app.tasks.noop", "noop")


@pytest.mark.parametrize("verb", ["run", "resume"])
def test_pm3_a_missing_task_is_a_named_error(verb: str) -> None:
    schedule = in_status(PAUSED)
    JobSchedule.objects.update(task="gone.away")
    with pytest.raises(TaskNotFound, match=r"gone\.away"):
        TABLE[verb][0](schedule_id=schedule.id, actor=SYSTEM)


def test_pm4_a_start_flags_each_row_by_itself(caplog: pytest.LogCaptureFixture) -> None:
    fine, lost, broken, odd = (make_schedule(name) for name in ("a", "b", "c", "d"))
    JobSchedule.objects.filter(id=lost.id).update(task="gone.away")
    JobSchedule.objects.filter(id=broken.id).update(cron="null")
    JobSchedule.objects.filter(id=odd.id).update(timezone="Mars/Olympus")
    with caplog.at_level(logging.ERROR, logger="controlplane"):
        normalise()
    statuses = [status_of(s)[0] for s in (fine, lost, broken, odd)]
    assert statuses == [ENABLED, LOST, UNSCHEDULED, PAUSED]
    assert f"schedule {odd.id} (d)" in caplog.text


def test_pm4_a_stale_running_cannot_survive() -> None:
    """It is stored nowhere: once the last execution ends, whoever ends it, it is READY."""
    schedule = make_schedule()
    execution = start(schedule)
    fail(execution, outcome=Outcome.TIMED_OUT, fate=Fate.TRY_AGAIN, crashed=True)
    assert status_of(schedule) == (ENABLED, ExecutionStatus.READY)
    assert "execution_status" not in {f.name for f in JobSchedule._meta.get_fields()}


def test_pm5_a_tick_during_a_run_is_skipped(caplog: pytest.LogCaptureFixture) -> None:
    schedule = make_schedule()
    start(schedule)
    jobs, executions = Job.objects.count(), JobExecution.objects.count()
    make_due(schedule)
    with caplog.at_level(logging.WARNING, logger="controlplane"):
        fire_due(10)
    assert schedule.firings.get(kind="due").outcome == "skipped_overlap"
    assert (Job.objects.count(), JobExecution.objects.count()) == (jobs, executions)
    assert f"schedule {schedule.id} (nightly): skipped" in caplog.text


def test_pm6_a_task_that_throws_leaves_the_schedule_ready_for_its_next_runs() -> None:
    schedule = make_schedule(max_attempts=1)
    execution = start(schedule)
    fail(execution, outcome=Outcome.FAILED, fate=Fate.GIVE_UP, error_message="as asked")
    execution.refresh_from_db()
    assert execution.error_message == "as asked"
    assert status_of(schedule) == (ENABLED, ExecutionStatus.READY)
    make_due(schedule)
    fire_due(10)
    assert schedule.firings.get(kind="due").outcome == "enqueued"


def test_pm10_the_limit_holds_in_the_actions(options: Options) -> None:
    first, second = make_schedule("a"), make_schedule("b")
    options(schedule_limit=2)
    with pytest.raises(ScheduleLimitReached):
        make_schedule("c")
    options(schedule_limit=1)
    for verb in ("run", "resume"):
        with pytest.raises(ScheduleLimitReached):
            TABLE[verb][0](schedule_id=second.id, actor=SYSTEM)
    normalise()
    assert [status_of(s)[0] for s in (first, second)] == [ENABLED, PAUSED]
    actions.delete_schedule(schedule_id=first.id, actor=SYSTEM)
    actions.resume_schedule(schedule_id=second.id, actor=SYSTEM)
    assert status_of(second)[0] == ENABLED
