"""The tasks that the product brings for its own schedules."""

import json
import logging

import pytest

from jobs.registry import task_named
from scheduling.tasks import database_report


@pytest.mark.django_db
def test_the_database_report_logs_and_returns_its_figures(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, logger="scheduling.tasks"):
        facts = database_report.call()
    assert "jobs_job: " in caplog.text and "PENDING: 0 jobs" in caplog.text
    json.dumps(facts, allow_nan=False)
    assert task_named("scheduling.tasks.database_report") == database_report
