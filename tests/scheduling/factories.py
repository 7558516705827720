"""Schedules for tests, made by the action that people use, and moved in time where a test asks."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models.functions import Now

from accounts.models import User
from controlplane.actors import SYSTEM
from scheduling.actions.create import create_schedule
from scheduling.lifecycle import KINDS_OF_TIMES, ScheduleStatus
from scheduling.models import JobSchedule
from tests.conftest import actor_for

NOOP = "tests.sample_app.tasks.noop"
#: Comes about in no test by itself.
YEARLY = "0 0 1 1 *"
#: A Monday.
NINE = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


def make_schedule(
    name: str = "nightly",
    *,
    owner: User | None = None,
    enabled: bool = True,
    **values: Any,
) -> JobSchedule:
    """An ENABLED schedule of `noop` once a year, unless told otherwise."""
    given = {"task": NOOP} | values
    if not KINDS_OF_TIMES.keys() & values.keys():
        given["cron"] = YEARLY
    actor = actor_for(owner) if owner else SYSTEM
    enabled = enabled and any(given.get(kind) for kind in KINDS_OF_TIMES)
    return create_schedule(actor=actor, enabled=enabled, name=name, **given)


def make_due(schedule: JobSchedule, ago: timedelta = timedelta(0)) -> JobSchedule:
    """Its next time has come, `ago` before now; by hand, since no door turns a clock back."""
    JobSchedule.objects.filter(id=schedule.id).update(
        schedule_status=ScheduleStatus.ENABLED, next_run_at=Now() - ago
    )
    schedule.refresh_from_db()
    return schedule


def make_due_at(schedule: JobSchedule, moment: datetime) -> JobSchedule:
    """Its next time is this one."""
    JobSchedule.objects.filter(id=schedule.id).update(next_run_at=moment)
    schedule.refresh_from_db()
    return schedule


def outcomes(schedule: JobSchedule) -> list[tuple[str, str]]:
    """What became of its times, in their order."""
    rows = schedule.firings.order_by("nominal_time")
    return [(f"{row.nominal_time:%H:%M:%S}", row.outcome) for row in rows]
