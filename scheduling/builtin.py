"""Four schedules that do real work from the first minute. What a person changes in them is kept."""

from urllib.parse import urlsplit

from django.db import transaction

from controlplane.actors import SYSTEM
from scheduling.actions.create import create_schedule
from scheduling.actions.update import update_schedule
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
from scheduling.values import ScheduleValues

EVERY_MINUTE = "* * * * *"
HEALTH_KEY = "builtin:health"
#: Hosts that stand for this machine, whatever port the page was given this time.
_OWN_HOSTS = {"localhost", "127.0.0.1", "::1"}

#: Portable: the words are POSIX, and a system without one of them still reports the other.
_SYSTEM_REPORT = (
    "echo 'Memory:'; { free -m || head -n 3 /proc/meminfo; } 2>/dev/null; "
    "echo 'Disk:'; df -h / ; echo 'Load:'; { uptime || cat /proc/loadavg; } 2>/dev/null; exit 0"
)


def ensure_builtin_schedules(health_url: str) -> list[JobSchedule]:
    """Make those that were never made, ENABLED at every minute; return those that are ENABLED.

    The health check follows the page to its present address. One that a person deleted stays away.
    """
    with transaction.atomic():
        for key, values in _wanted(health_url).items():
            if not JobSchedule.objects.filter(import_key=key).exists():
                create_schedule(actor=SYSTEM, enabled=True, import_key=key, **values)
        _follow_address(health_url)
    ours = JobSchedule.objects.live().filter(import_key__startswith="builtin:")
    return list(ours.filter(schedule_status=ScheduleStatus.ENABLED).order_by("id"))


def _wanted(health_url: str) -> dict[str, ScheduleValues]:
    return {
        "builtin:system": {
            "name": "System report",
            "description": "Disk, load and memory of the executor's machine.",
            "task": "jobs.tasks.run_command.run_command",
            "kwargs": {"shell": _SYSTEM_REPORT},
            "cron": EVERY_MINUTE,
        },
        HEALTH_KEY: {
            "name": "Health check",
            "description": "Asks this installation's own page whether it is well.",
            "task": "jobs.tasks.http_request.http_request",
            "kwargs": {"url": health_url},
            "cron": EVERY_MINUTE,
        },
        "builtin:sessions": {
            "name": "Session clean-up",
            "description": "Removes sessions that have run out.",
            "task": "jobs.tasks.management_command.management_command",
            "kwargs": {"name": "clearsessions"},
            "cron": EVERY_MINUTE,
        },
        "builtin:database": {
            "name": "Database report",
            "description": "Sizes of our tables, dead rows, jobs by state.",
            "task": "scheduling.tasks.database_report",
            "cron": EVERY_MINUTE,
        },
    }


def _follow_address(health_url: str) -> None:
    """Point the health check at the page's present port, unless a person pointed it elsewhere."""
    check = JobSchedule.objects.live().filter(import_key=HEALTH_KEY).first()
    if check is None:
        return
    before, after = urlsplit(str(check.kwargs.get("url", ""))), urlsplit(health_url)
    if before.hostname in _OWN_HOSTS and before.path == after.path:
        update_schedule(
            schedule_id=check.id, actor=SYSTEM, kwargs={**check.kwargs, "url": health_url}
        )
