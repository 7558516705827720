"""Which tasks of schedules this process can find, and which only others can."""

from collections.abc import Iterable

from jobs.errors import TaskNotFound
from jobs.models import Worker
from jobs.registry import task_named
from scheduling.models import JobSchedule


def unknown_here(tasks: Iterable[str]) -> set[str]:
    """Those of these dotted paths that name no task in this process."""
    return {task for task in tasks if not _found(task)}


def unknown_everywhere(tasks: Iterable[str]) -> set[str]:
    """Those that neither this process nor any live worker knows."""
    return {t for t in unknown_here(tasks) if not Worker.objects.live().knowing(t).exists()}


def left_to_others() -> set[str]:
    """Tasks of due schedules that this process cannot find, but a live worker of another release.

    They are left to a scheduler of that release, so that a deployment under way flags nothing.
    """
    due = JobSchedule.objects.due().order_by("task").values_list("task", flat=True).distinct()
    missing = unknown_here(due)
    return missing - unknown_everywhere(missing)


def _found(task: str) -> bool:
    try:
        task_named(task)
    except TaskNotFound:
        return False
    return True
