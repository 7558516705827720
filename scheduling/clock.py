"""The database's clock, which decides about schedules; a machine's own never does."""

from datetime import datetime

from django.db.models.functions import Now

from scheduling.models import JobSchedule


def time_at(schedule_id: int) -> datetime:
    """The database's time at this statement. Asked of a row, since the ORM asks nothing without."""
    now: datetime = JobSchedule.objects.filter(id=schedule_id).values_list(Now(), flat=True).get()
    return now
