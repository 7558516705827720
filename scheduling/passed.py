"""The history's word on times that passed while a schedule was paused."""

from datetime import datetime

from scheduling.due_times import counted, shown
from scheduling.models import Firing, JobSchedule
from scheduling.times import last_fire, next_fire


def tell_passed(schedule: JobSchedule, now: datetime) -> None:
    """One row for all times since it went quiet, at the last of them; none when there are none.

    Raises InvalidCron or InvalidZone.
    """
    since = schedule.quiet_since
    last = None if since is None else last_fire(schedule.times, since, now)
    if since is None or last is None:
        return
    first = next_fire(schedule.times, since) or last
    how_many = "it" if first == last else counted(schedule.times, first, last)
    Firing.objects.bulk_create(
        [
            Firing(
                schedule=schedule,
                nominal_time=last,
                outcome=Firing.Outcome.SKIPPED_PAUSED,
                reason=f"paused since {shown(since)}: {how_many} passed unfired",
            )
        ],
        ignore_conflicts=True,
    )
