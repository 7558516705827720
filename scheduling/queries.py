"""What pages and API read about schedules, already joined and bounded. Nothing here writes."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import FETCH_RAISE, OuterRef, Q, Subquery
from django.utils import timezone

from accounts.permissions import sees_all
from controlplane.actors import Actor
from controlplane.keyset import Cursor, Order, SortedPage, sorted_page
from controlplane.pagination import Page, PageRequest, paginate
from scheduling.errors import InvalidCron, InvalidZone, ScheduleNotFound
from scheduling.filters import ScheduleFilter
from scheduling.lifecycle import ExecutionStatus
from scheduling.models import Firing, JobSchedule
from scheduling.preview import Preview, preview_of
from scheduling.querysets import JobScheduleQuerySet
from scheduling.times import describe

#: Firings shown of one schedule, the latest ones.
MAX_FIRINGS = 50


@dataclass(frozen=True, slots=True)
class ListedSchedule:
    """A schedule with its derived status, its cron in words and its latest firing, if any."""

    schedule: JobSchedule
    execution_status: ExecutionStatus
    words: str
    last: Firing | None


def visible_schedules(actor: Actor) -> JobScheduleQuerySet:
    """All live schedules, or only the actor's own."""
    rows = JobSchedule.objects.live()
    if sees_all(actor, "schedules.see_all"):
        return rows
    return rows.none() if actor.id is None else rows.owned_by(actor.id)


def visible_schedule(actor: Actor, schedule_id: int) -> JobSchedule:
    """The schedule with its owner. Raises ScheduleNotFound also when it is somebody else's."""
    rows = visible_schedules(actor).select_related("owner")
    found = rows.filter(id=schedule_id).first()
    if found is None:
        raise ScheduleNotFound(f"There is no schedule {schedule_id}, or none that you may see.")
    return found


def schedule_page(
    actor: Actor, wanted: ScheduleFilter, page: PageRequest, *, fill: bool = True
) -> Page[ListedSchedule]:
    """One page of the schedules that the actor may see, newest first."""
    found = paginate(_narrow(actor, wanted), page, fill=fill)
    return Page(listed(found.items), newer=found.newer, older=found.older)


def sorted_schedules(
    actor: Actor, wanted: ScheduleFilter, order: Order, cursor: Cursor | None, size: int
) -> SortedPage[JobSchedule]:
    """One page of the schedules that the actor may see, in any order."""
    return sorted_page(_narrow(actor, wanted), order, cursor, size)


def listed(schedules: Sequence[JobSchedule]) -> list[ListedSchedule]:
    """What a list shows beside the columns, in a fixed number of queries."""
    ids = [schedule.id for schedule in schedules]
    running = set(JobSchedule.objects.running_now().filter(id__in=ids).values_list("id", flat=True))
    latest = _latest_firings(ids)
    return [
        ListedSchedule(s, _status(s.id in running), in_words(s), latest.get(s.id))
        for s in schedules
    ]


def _narrow(actor: Actor, wanted: ScheduleFilter) -> JobScheduleQuerySet:
    rows = _matching(visible_schedules(actor), wanted).defer("args", "kwargs", "description")
    return rows.fetch_mode(FETCH_RAISE)


def execution_status(schedule: JobSchedule) -> ExecutionStatus:
    """Whether a job of it is running now."""
    return _status(JobSchedule.objects.running_now().filter(id=schedule.id).exists())


def in_words(schedule: JobSchedule) -> str:
    """What its times mean; why they mean nothing, if somebody put in bad ones by hand."""
    try:
        return describe(schedule.times)
    except (InvalidCron, InvalidZone) as error:
        return error.message


def next_runs(schedule: JobSchedule, count: int) -> Preview | None:
    """Its next times, whether or not the clock may fire it; none without times, or for bad ones."""
    if not schedule.times:
        return None
    try:
        return preview_of(schedule.times, timezone.now(), count)
    except (InvalidCron, InvalidZone):
        return None


def firings_of(schedule: JobSchedule) -> list[Firing]:
    """The latest ones with their jobs, newest first."""
    rows = Firing.objects.filter(schedule_id=schedule.id).select_related("job")
    return list(rows.order_by("-nominal_time", "-id")[:MAX_FIRINGS])


def _matching(rows: JobScheduleQuerySet, wanted: ScheduleFilter) -> JobScheduleQuerySet:
    if wanted.search:
        rows = rows.filter(Q(name__icontains=wanted.search) | Q(task__icontains=wanted.search))
    if wanted.schedule_status is not None:
        rows = rows.filter(schedule_status=wanted.schedule_status)
    if wanted.execution_status is ExecutionStatus.RUNNING:
        rows = rows.running_now()
    elif wanted.execution_status is ExecutionStatus.READY:
        rows = rows.exclude(id__in=JobSchedule.objects.running_now().values("id"))
    return rows


def _status(running: bool) -> ExecutionStatus:
    return ExecutionStatus.RUNNING if running else ExecutionStatus.READY


def _latest_firings(ids: list[int]) -> dict[int, Firing]:
    """One look into the index for each schedule, however long its history."""
    latest = Firing.objects.filter(schedule_id=OuterRef("id")).order_by("-nominal_time", "-id")
    wanted = (
        JobSchedule.objects.filter(id__in=ids)
        .annotate(latest=Subquery(latest.values("id")[:1]))
        .values("latest")
    )
    return {f.schedule_id: f for f in Firing.objects.filter(id__in=wanted).select_related("job")}
