"""The rows of the table, in order: name -> function that measures and returns figures."""

from collections.abc import Callable, Mapping

from bench.figures import Figure
from bench.rows import drain, enqueue, idle, pickup, schedules, waiting_jobs
from bench.setting import Setting

ROWS: Mapping[str, Callable[[Setting], list[Figure]]] = {
    "drain": drain.one_process,
    "drain2": drain.two_processes,
    "pickup": pickup.measure,
    "enqueue": enqueue.one_by_one,
    "bulk": enqueue.in_bulk,
    "io": waiting_jobs.measure,
    "idle": idle.measure,
    "cron": schedules.next_fires,
    "due": schedules.due_at_once,
}
