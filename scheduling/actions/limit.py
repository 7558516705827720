"""The limit on the number of schedules, where an installation sets one."""

from django.db.models import Func, TextField, Value

from controlplane import conf
from scheduling.errors import ScheduleLimitReached
from scheduling.models import JobSchedule, TableStatistics
from scheduling.querysets import JobScheduleQuerySet

#: Any number that nothing else in this database locks by.
_LOCK = 7_391_001


class _AdvisoryLock(Func):
    function = "pg_advisory_xact_lock"
    output_field = TextField()


def require_room() -> None:
    """Raises ScheduleLimitReached at the limit. Until this transaction ends nobody else counts, so
    that two who save at once cannot both take the last place.
    """
    limit = conf.options().schedule_limit
    if not limit:
        return
    table = TableStatistics.objects.filter(relname=JobSchedule._meta.db_table)
    list(table.values_list(_AdvisoryLock(Value(_LOCK))))
    if JobSchedule.objects.live().count() >= limit:
        raise ScheduleLimitReached(f"There are {limit} schedules, as many as may be. Delete one.")


def require_within_limit(schedule: JobSchedule) -> None:
    """Raises ScheduleLimitReached for a schedule above the limit: it keeps still until older ones
    are deleted.
    """
    limit = conf.options().schedule_limit
    if limit and JobSchedule.objects.live().filter(id__lt=schedule.id).count() >= limit:
        raise ScheduleLimitReached(
            f"Schedule {schedule.id} is above the limit of {limit} schedules. Delete others first."
        )


def above_limit() -> JobScheduleQuerySet:
    """The live schedules beyond the limit: the newest ones."""
    limit = conf.options().schedule_limit
    live = JobSchedule.objects.live()
    return live.filter(id__in=live.order_by("id").values("id")[limit:]) if limit else live.none()
