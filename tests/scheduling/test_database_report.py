"""Figures about our part of the database."""

import pytest

from jobs.lifecycle import Status
from scheduling import database_report
from scheduling.database_report import report
from tests.factories import make_job, make_jobs

pytestmark = pytest.mark.django_db


def test_it_tells_sizes_counts_and_the_oldest_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    assert report()["oldest_pending_seconds"] is None
    monkeypatch.setattr(database_report, "COUNT_LIMIT", 2)
    make_jobs(3)
    make_job(Status.RUNNING)
    make_job(Status.DEAD_LETTER)
    found = report()
    assert found["oldest_pending_seconds"] == 0
    assert found["jobs"]["PENDING"] == "over 2"
    assert (found["jobs"]["RUNNING"], found["jobs"]["DEAD_LETTER"]) == ("1", "1")
    tables = {table["name"]: table for table in found["tables"]}
    assert {"jobs_job", "scheduling_jobschedule", "accounts_user"} <= tables.keys()
    assert any(name.startswith("audit_") for name in tables)
    assert tables["jobs_job"]["bytes"] > 0
    assert not any(name.startswith(("django_", "auth_")) for name in tables)
