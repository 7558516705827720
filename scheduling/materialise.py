"""Due schedules become firings and jobs. Any number of schedulers may do this at the same time.

Each schedule is locked while it is dealt with (SKIP LOCKED: others take the next ones), and a
firing is unique by schedule, nominal time and kind: no time becomes two jobs. All commits together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import DateTimeField, Func, JSONField, Min, TextField, Value
from django.db.models.functions import Cast, Coalesce, Now

from jobs.errors import KeyTaken
from scheduling.breaking import end, set_aside
from scheduling.clock import time_at
from scheduling.due_times import DueTimes, MissedRule, Slot, due_times
from scheduling.firings import fire
from scheduling.models import Firing, JobSchedule
from scheduling.tasks_known import left_to_others

#: Times that one transaction deals with, unless a single schedule has more.
MAX_SLOTS = 5000
#: The connection, the transaction or the race for a key is at fault, not a schedule.
NOT_ITS_FAULT = (OperationalError, InterfaceError, KeyTaken)


@dataclass(frozen=True, slots=True)
class Plan:
    """A locked schedule and what is due of it."""

    schedule: JobSchedule
    due: DueTimes


def fire_due(limit: int, *, now: datetime | None = None) -> int:
    """Deal with at most `limit` due schedules in one transaction; return how many there were.

    After an outage they may have very many times: of those, no more than MAX_SLOTS at once, and
    `limit` is returned where some are left. A schedule that cannot be dealt with is set aside with
    the reason, and never stops the others. `now` is the database's time unless a test gives one.
    """
    with transaction.atomic():
        schedules = _lock_due(limit, now)
        if not schedules:
            return 0
        now = now or time_at(schedules[0].id)
        plans = _plans(schedules, now)
        taken = list(_up_to_bound(plans))
        if taken and not _carried_out(taken, now):
            _carry_out_each(taken, now)
    return len(schedules) if len(taken) == len(plans) else limit


def seconds_to_next_due() -> float | None:
    """Seconds until the next schedule's time, by the database's clock; None when there is none."""
    rows = JobSchedule.objects.enabled().exclude(task__in=left_to_others())
    wait = rows.aggregate(wait=Min("next_run_at") - Now())["wait"]
    return None if wait is None else max(0.0, wait.total_seconds())


def _lock_due(limit: int, now: datetime | None) -> list[JobSchedule]:
    rows = JobSchedule.objects.due(now).exclude(task__in=left_to_others())
    rows = rows.defer("description", "tags")
    return list(rows.select_for_update(no_key=True, skip_locked=True)[:limit])


def _plans(schedules: Sequence[JobSchedule], now: datetime) -> list[Plan]:
    """Many schedules share expression and time; each such question is answered once."""
    answered = cache(due_times)
    plans = []
    for row in schedules:
        try:
            due = answered(row.times, row.next_run_at, now, _rule(row))
        except Exception as error:  # noqa: BLE001 - one bad row never stops the others
            set_aside(row, error)
        else:
            plans.append(Plan(row, due))
    return plans


def _up_to_bound(plans: Sequence[Plan]) -> Iterator[Plan]:
    """The first ones, and of them no more than the bound allows, but always one."""
    slots = 0
    for plan in plans:
        slots += len(plan.due.slots)
        if slots > MAX_SLOTS and slots > len(plan.due.slots):
            return
        yield plan


def _rule(schedule: JobSchedule) -> MissedRule:
    window = timedelta(seconds=schedule.missed_window_seconds)
    return MissedRule(schedule.missed_policy, window, schedule.missed_limit)


def _carried_out(plans: Sequence[Plan], now: datetime) -> bool:
    """Whether all of them went well together, which they nearly always do."""
    try:
        with transaction.atomic():
            _carry_out(plans, now)
    except NOT_ITS_FAULT:
        raise
    except Exception:  # noqa: BLE001 - the caller looks for the row at fault
        return False
    return True


def _carry_out_each(plans: Sequence[Plan], now: datetime) -> None:
    """One by one, each in a savepoint, to find the ones at fault."""
    for plan in plans:
        try:
            with transaction.atomic():
                _carry_out([plan], now)
        except NOT_ITS_FAULT:
            raise
        except Exception as error:  # noqa: BLE001 - one bad row never stops the others
            set_aside(plan.schedule, error)


def _carry_out(plans: Sequence[Plan], now: datetime) -> None:
    """Write jobs, firings, audit events and the schedules' next times."""
    wanted = _not_yet_fired(plans)
    firings = fire(wanted, kind=Firing.Kind.DUE, now=now)
    _move_on(plans, {f.schedule_id: f.nominal_time for f in firings if f.made_job})


def _not_yet_fired(plans: Sequence[Plan]) -> list[tuple[JobSchedule, Slot]]:
    """Every slot without a firing: somebody may have turned a schedule's clock back by hand."""
    slots = [(plan.schedule, slot) for plan in plans for slot in plan.due.slots]
    known = set(
        Firing.objects.filter(
            kind=Firing.Kind.DUE,
            schedule_id__in={schedule.id for schedule, _ in slots},
            nominal_time__in={slot.nominal_time for _, slot in slots},
        ).values_list("schedule_id", "nominal_time")
    )
    return [(s, slot) for s, slot in slots if (s.id, slot.nominal_time) not in known]


def _move_on(plans: Sequence[Plan], fired: Mapping[int, datetime]) -> None:
    """Set each schedule's next time, strictly after now; one that has none left ends."""
    moved = {p.schedule.id: p.due.following for p in plans if p.due.following is not None}
    JobSchedule.objects.filter(id__in=moved).update(
        next_run_at=_own_time(moved), last_fired_at=Coalesce(_own_time(fired), "last_fired_at")
    )
    for plan in plans:
        if plan.due.following is None:
            end(plan.schedule, fired.get(plan.schedule.id))


def _own_time(times: Mapping[int, datetime]) -> Cast:
    """Each row's time out of one value: a CASE with a branch for each row is ten times slower."""
    texts = {str(id_): time.isoformat() for id_, time in times.items()}
    found = Func(
        Value(texts, JSONField()),
        Cast("id", TextField()),
        function="jsonb_extract_path_text",
        output_field=TextField(),
    )
    return Cast(found, DateTimeField())
