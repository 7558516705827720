"""Due schedules become firings and jobs. Any number of schedulers may do this at the same time.

Each schedule is locked while it is dealt with (SKIP LOCKED: others take the next ones), and a
firing is unique by schedule, nominal time and kind: no time becomes two jobs. All commits together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import DateTimeField, Func, JSONField, Min, TextField, Value
from django.db.models.functions import Cast, Now

from audit import recorder
from audit.models import AuditEvent
from audit.vocabulary import EventType
from controlplane.actors import SYSTEM
from controlplane.events import log_event
from jobs.actions.enqueue import Enqueued, enqueue_many
from scheduling.actions.locking import target
from scheduling.breaking import set_aside
from scheduling.clock import time_at
from scheduling.due_times import DueTimes, Slot, due_times
from scheduling.errors import InvalidCron
from scheduling.models import Firing, JobSchedule
from scheduling.requests import job_request
from scheduling.tasks_known import left_to_others

#: The connection or the transaction is at fault, not a schedule.
DATABASE_TROUBLE = (OperationalError, InterfaceError)


@dataclass(frozen=True, slots=True)
class Plan:
    """A locked schedule and what is due of it."""

    schedule: JobSchedule
    due: DueTimes


def fire_due(limit: int, *, now: datetime | None = None) -> int:
    """Deal with at most `limit` due schedules in one transaction; return how many there were.

    A schedule that cannot be dealt with is set aside with the reason, and never stops the others.
    `now` is the database's time unless a test gives one.
    """
    with transaction.atomic():
        schedules = _lock_due(limit, now)
        plans = _plans(schedules, now or time_at(schedules[0].id)) if schedules else []
        if plans and not _carried_out(plans):
            _carry_out_each(plans)
    return len(schedules)


def seconds_to_next_due() -> float | None:
    """Seconds until the next schedule's time, by the database's clock; None when there is none."""
    rows = JobSchedule.objects.enabled().exclude(task__in=left_to_others())
    wait = rows.aggregate(wait=Min("next_run_at") - Now())["wait"]
    return None if wait is None else max(0.0, wait.total_seconds())


def _lock_due(limit: int, now: datetime | None) -> list[JobSchedule]:
    rows = JobSchedule.objects.due(now).exclude(task__in=left_to_others())
    return list(rows.select_for_update(no_key=True, skip_locked=True)[:limit])


def _plans(schedules: Sequence[JobSchedule], now: datetime) -> list[Plan]:
    """Many schedules share expression and time; each such question is answered once."""
    answered = cache(due_times)
    plans = []
    for row in schedules:
        try:
            due = answered(row.cron, row.timezone, row.next_run_at, now, row.missed_policy)
        except Exception as error:  # noqa: BLE001 - one bad row never stops the others
            set_aside(row, error)
        else:
            plans.append(Plan(row, due))
    return plans


def _carried_out(plans: Sequence[Plan]) -> bool:
    """Whether all of them went well together, which they nearly always do."""
    try:
        with transaction.atomic():
            _carry_out(plans)
    except DATABASE_TROUBLE:
        raise
    except Exception:  # noqa: BLE001 - the caller looks for the row at fault
        return False
    return True


def _carry_out_each(plans: Sequence[Plan]) -> None:
    """One by one, each in a savepoint, to find the ones at fault."""
    for plan in plans:
        try:
            with transaction.atomic():
                _carry_out([plan])
        except DATABASE_TROUBLE:
            raise
        except Exception as error:  # noqa: BLE001 - one bad row never stops the others
            set_aside(plan.schedule, error)


def _carry_out(plans: Sequence[Plan]) -> None:
    """Write jobs, firings, the schedules' next times and audit events of these plans."""
    slots = _not_yet_fired(plans)
    wanted = [(schedule, slot) for schedule, slot in slots if not slot.missed]
    made = enqueue_many([job_request(schedule) for schedule, _ in wanted], actor=SYSTEM)
    firings = [_missed(schedule, slot) for schedule, slot in slots if slot.missed]
    firings += [_fired(s, slot, job) for (s, slot), job in zip(wanted, made, strict=True)]
    Firing.objects.bulk_create(firings)
    _move_on(plans)
    recorder.record_all(_event(firing) for firing in firings)
    for firing in firings:
        _log(firing)


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


def _fired(schedule: JobSchedule, slot: Slot, made: Enqueued | None) -> Firing:
    firing = Firing(schedule=schedule, nominal_time=slot.nominal_time, reason=slot.reason)
    if made is not None and made.created:
        firing.outcome = Firing.Outcome.ENQUEUED
        firing.job_id = made.job_id
        return firing
    firing.outcome = Firing.Outcome.SKIPPED_OVERLAP
    firing.reason = (
        "an earlier job is unfinished"
        if made is None
        else f"job {made.job_id} holds the task's unique key"
    )
    return firing


def _missed(schedule: JobSchedule, slot: Slot) -> Firing:
    return Firing(
        schedule=schedule,
        nominal_time=slot.nominal_time,
        outcome=Firing.Outcome.MISSED,
        reason=slot.reason,
    )


def _move_on(plans: Sequence[Plan]) -> None:
    """Set each schedule's next time, strictly after now; one that has none left is set aside."""
    moved: dict[int, datetime] = {}
    for schedule, due in ((plan.schedule, plan.due) for plan in plans):
        if due.following is None:
            set_aside(schedule, InvalidCron(f"{schedule.cron} has no time left."))
        else:
            moved[schedule.id] = due.following
    last = {plan.schedule.id: plan.due.slots[-1].nominal_time for plan in plans}
    JobSchedule.objects.filter(id__in=moved).update(
        next_run_at=_own_time(moved), last_fired_at=_own_time(last)
    )


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


def _event(firing: Firing) -> AuditEvent:
    made = firing.outcome == Firing.Outcome.ENQUEUED
    facts = {"nominal_time": firing.nominal_time.isoformat(), "outcome": str(firing.outcome)}
    if firing.reason:
        facts["reason"] = firing.reason
    return recorder.event(
        EventType.SCHEDULE_FIRED if made else EventType.SCHEDULE_SKIPPED,
        target(firing.schedule),
        actor=SYSTEM,
        metadata=facts | ({"job_id": firing.job_id} if made else {}),
    )


def _log(firing: Firing) -> None:
    facts = {"schedule_id": firing.schedule_id, "name": firing.schedule.name}
    if firing.outcome == Firing.Outcome.ENQUEUED:
        log_event("scheduler.fired", **facts, job_id=firing.job_id)
    else:
        log_event("scheduler.skipped", **facts, reason=firing.reason)
