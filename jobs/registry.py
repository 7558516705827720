"""Which tasks exist. The one place that turns a stored dotted path into code.

A task makes itself known when its module is imported; the `tasks` modules of the installed apps are
imported on first use. A path outside the installed apps is never imported.
"""

import importlib
import sys
from functools import cache

from django.apps import apps
from django.tasks import Task
from django.utils.module_loading import module_has_submodule

from controlplane.events import log_event
from jobs.errors import TaskNotFound

_noted: set[str] = set()


def note(task: Task) -> None:
    """Remember a task that was just defined; called by the backend for each one."""
    _noted.add(task.module_path)


@cache
def _discover() -> None:
    """Import the `tasks` module of each app. One that is broken costs its own tasks, not all
    others'.
    """
    for app in apps.get_app_configs():
        if app.module is None or not module_has_submodule(app.module, "tasks"):
            continue
        try:
            importlib.import_module(f"{app.name}.tasks")
        except Exception as error:  # noqa: BLE001 - whatever a host's module raises at import
            log_event("registry.broken", module=f"{app.name}.tasks", error=error)


def task_named(path: str) -> Task:
    """The task with this dotted path. Raises TaskNotFound, saying why, when there is none."""
    _discover()
    module_name, _, name = path.rpartition(".")
    module = sys.modules.get(module_name)
    if module is None:
        if not _belongs_to_an_app(module_name):
            raise TaskNotFound(f"No installed app has a task {path!r}.", field="task")
        try:
            module = importlib.import_module(module_name)
        except Exception as error:
            raise TaskNotFound(
                f"The module of task {path!r} cannot be imported: {error}.", field="task"
            ) from error
    task = getattr(module, name, None)
    if not isinstance(task, Task):
        raise TaskNotFound(f"No installed app has a task {path!r}.", field="task")
    return task


def known_tasks() -> dict[str, Task]:
    """Every task of the installed apps by dotted path, sorted. Aliases imported elsewhere count
    once.
    """
    _discover()
    found: dict[str, Task] = {}
    for path in sorted(_noted):
        try:
            found[path] = task_named(path)
        except TaskNotFound:  # defined inside a test or replaced since: nothing that could be run
            continue
    return found


def _belongs_to_an_app(module_name: str) -> bool:
    return any(
        module_name == app.name or module_name.startswith(f"{app.name}.")
        for app in apps.get_app_configs()
    )
