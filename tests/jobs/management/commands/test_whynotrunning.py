"""The answer on the command line."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.factories import make_job

pytestmark = pytest.mark.django_db


def test_it_says_the_state_and_what_is_in_the_way() -> None:
    job = make_job()
    said = StringIO()
    call_command("whynotrunning", str(job.pk), stdout=said)
    assert f"Job {job.pk} (tests.sample_app.tasks.noop) is PENDING." in said.getvalue()
    assert "- No executor is alive." in said.getvalue()


def test_an_unknown_job_is_one_clear_line() -> None:
    with pytest.raises(CommandError, match="There is no job 404"):
        call_command("whynotrunning", "404")
