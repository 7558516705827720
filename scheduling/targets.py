"""How the audit trail names a schedule."""

from audit.recorder import Target
from scheduling.models import JobSchedule


def target(schedule: JobSchedule) -> Target:
    """By its id, and the name that it has now."""
    return Target("schedule", schedule.id, schedule.name)
