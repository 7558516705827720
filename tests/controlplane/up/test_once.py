"""`up --once`: what is waited for, what is told of it, and what counts as good."""

import pytest

from controlplane.up import once
from controlplane.up.once import Row
from jobs.lifecycle import Outcome, Status
from jobs.models import ExecutionLog, Job
from scheduling.crontab import ImportedLine
from tests.factories import make_job, make_odd_execution


def test_the_table_is_aligned_under_its_heading() -> None:
    rows = [Row("a", "SUCCEEDED", 1234, "done"), Row("longer name", "DEAD_LETTER", None, "")]
    assert once.table(rows).splitlines() == [
        "SCHEDULE     OUTCOME      DURATION  LAST LINE OF OUTPUT",
        "a            SUCCEEDED      1.23 s  done",
        "longer name  DEAD_LETTER         -",
    ]


def test_only_success_is_good() -> None:
    good = [status for status in Status if Row("x", status, 1, "").is_good]
    assert good == [Status.SUCCEEDED]


def test_lines_that_cannot_run_are_rows_too() -> None:
    lines = [
        ImportedLine(1, "MAILTO=x", "ignored", None, "mail"),
        ImportedLine(2, "61 * * * * x", "skipped", None, "no such minute"),
    ]
    assert once.rows_of_lines_left_out(lines) == [
        Row("61 * * * * x", "SKIPPED", None, "no such minute")
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("status", [Status.PENDING, Status.RUNNING, Status.BLOCKED])
def test_what_is_still_to_run_is_waited_for(status: Status) -> None:
    assert once.is_unfinished([make_job(status=status).id])


@pytest.mark.django_db
@pytest.mark.parametrize("status", [Status.SUCCEEDED, Status.DEAD_LETTER, Status.CANCELLED])
def test_what_has_ended_is_not(status: Status) -> None:
    assert not once.is_unfinished([make_job(status=status).id])


@pytest.mark.django_db
def test_no_retry_is_waited_for() -> None:
    job = make_job(status=Status.FAILED)
    assert not once.is_unfinished([job.id])
    assert Job.objects.get(id=job.id).status == Status.CANCELLED


@pytest.mark.django_db
def test_the_row_of_a_job_whose_retry_was_cancelled_tells_of_the_failure() -> None:
    job = make_job(status=Status.CANCELLED)
    make_odd_execution(job, status=Outcome.FAILED, error_message="no disk\nat all", number=9)
    row = once.row_of("name", job.id)
    assert (row.outcome, row.last_line) == (Outcome.FAILED, "no disk")


@pytest.mark.django_db
def test_the_last_line_is_the_last_that_says_something() -> None:
    job = make_job(status=Status.SUCCEEDED)
    execution = make_odd_execution(job, status=Outcome.SUCCEEDED, number=9)
    for sequence, text in enumerate(["first\nsecond\n", "  third  \n\n", "\n"], start=1):
        ExecutionLog.objects.create(
            execution=execution, sequence=sequence, stream="stdout", text=text
        )
    assert once.last_line(execution) == "third"
