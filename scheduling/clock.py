"""The database's clock, which decides about schedules; a machine's own never does."""

from datetime import datetime

from django.db.models.functions import Now

from scheduling.models import JobSchedule, TableStatistics


def time_at(schedule_id: int) -> datetime:
    """The database's time at this statement. Asked of a row, since the ORM asks nothing without."""
    now: datetime = JobSchedule.objects.filter(id=schedule_id).values_list(Now(), flat=True).get()
    return now


def time_now() -> datetime:
    """The same where there may be no schedule yet: asked of the row about their table."""
    table = TableStatistics.objects.filter(relname=JobSchedule._meta.db_table)
    now: datetime = table.values_list(Now(), flat=True)[:1].get()
    return now
