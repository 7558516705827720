"""Tasks that the product brings for its own schedules."""

import logging
from typing import Any

from django.tasks import task

from scheduling.database_report import report

logger = logging.getLogger(__name__)


@task
def database_report() -> dict[str, Any]:
    """Sizes of our tables, what vacuum has left, jobs by state, and how long the oldest waits."""
    facts = report()
    for table in facts["tables"]:
        logger.info("%(name)s: %(bytes)d bytes, %(rows)d rows, %(dead_rows)d dead", table)
    for status, count in facts["jobs"].items():
        logger.info("%s: %s jobs", status, count)
    waited = facts["oldest_pending_seconds"]
    if waited is None:
        logger.info("no job is waiting")
    else:
        logger.info("the oldest pending job has waited %.1f s", waited)
    return facts
