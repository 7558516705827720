"""What the processes say in their logs: one function, one page that maps each name to level and
sentence.
"""

import logging

logger = logging.getLogger("controlplane")

#: name -> (level, sentence). The sentence's fields are the facts that `log_event` must be given.
SENTENCES: dict[str, tuple[int, str]] = {
    "loop.started": (logging.INFO, "{name} started (worker {worker_id}, pid {pid})"),
    "loop.stopping": (logging.INFO, "{name} stopping: {reason}"),
    "loop.stopped": (logging.INFO, "{name} stopped"),
    "loop.tick_failed": (logging.ERROR, "{name}: tick failed: {error}"),
    "database.lost": (
        logging.WARNING,
        "{name}: database unavailable, retrying: {error}",
    ),
    "database.unusable": (logging.ERROR, "{name} cannot start: {error}"),
    "database.back": (logging.INFO, "{name}: database is back after {seconds:.1f} s"),
    "registry.broken": (
        logging.ERROR,
        "the tasks of {module} are unknown: it cannot be imported: {error}",
    ),
    "executor.disabled": (
        logging.ERROR,
        "the executor is off here; set EXECUTOR_ENABLED=true to run jobs",
    ),
    "executor.draining": (
        logging.INFO,
        "draining: {running} running, {waiting} handed back",
    ),
    "executor.abandoned_thread": (
        logging.WARNING,
        "job {job_id}: the attempt ignored its timeout; its thread is abandoned, its slot replaced",
    ),
    "executor.late_result": (
        logging.WARNING,
        "job {job_id}, execution {execution_id}: a late result was refused; the lease was lost",
    ),
    "executor.missing_task": (
        logging.ERROR,
        "job {job_id}: no live worker knows the task {task}",
    ),
    "executor.attempt_failed": (
        logging.WARNING,
        "job {job_id} ({task}), attempt {attempt}: {outcome} {error_class}: {message}",
    ),
    "executor.report_failed": (logging.WARNING, "results are kept and reported again: {error}"),
    "executor.keeper_died": (
        logging.ERROR,
        "the keeper process died; the executor drains and stops",
    ),
    "child.started": (logging.DEBUG, "child process {pid} started"),
    "child.died": (
        logging.WARNING,
        "child process {pid} died ({how}) while running job {job_id}",
    ),
    "keeper.executor_gone": (
        logging.WARNING,
        "executor process {pid} is gone: {charged} attempts recovered, {returned} jobs handed back",
    ),
    "keeper.not_renewing": (
        logging.WARNING,
        "leases of worker {worker_id} are not renewed: {reason}",
    ),
    "watchdog.reclaimed": (
        logging.WARNING,
        "{count} executions had lost their lease; their jobs go on",
    ),
    "watchdog.promoted": (logging.INFO, "{count} due jobs made ready"),
    "watchdog.workers_gone": (
        logging.WARNING,
        "{count} workers have stopped reporting",
    ),
    "scheduler.fired": (logging.INFO, "schedule {schedule_id} ({name}): job {job_id}"),
    "scheduler.fired_many": (logging.INFO, "{count} schedules fired: as many jobs"),
    "scheduler.skipped": (
        logging.WARNING,
        "schedule {schedule_id} ({name}): skipped, {reason}",
    ),
    "scheduler.ended": (logging.INFO, "schedule {schedule_id} ({name}) has ended: {reason}"),
    "scheduler.broken": (
        logging.ERROR,
        "schedule {schedule_id} ({name}) is paused: {error}",
    ),
}


def log_event(event: str, **facts: object) -> None:
    """Log one named event with its facts. Raises KeyError for a name or fact that the page above
    lacks.
    """
    level, sentence = SENTENCES[event]
    logger.log(level, sentence.format(**facts), extra={"event": event, "facts": facts})
