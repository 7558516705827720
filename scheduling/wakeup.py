"""Telling schedulers that a schedule changed. A hint: at their next tick they see it too."""

from django.db.models import Func, TextField, Value
from django.db.models.functions import Cast

from scheduling.models import JobSchedule

#: What schedulers listen on; the payload is the id of the schedule.
CHANNEL = "controlplane_schedules"


class _PgNotify(Func):
    function = "pg_notify"
    output_field = TextField()


def wake_schedulers(schedule_id: int) -> None:
    """Sent when the transaction commits."""
    sent = _PgNotify(Value(CHANNEL), Cast("id", TextField()))
    list(JobSchedule.objects.filter(id=schedule_id).values_list(sent))
