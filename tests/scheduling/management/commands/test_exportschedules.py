"""`manage.py exportschedules`."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from scheduling.schedule_file import read_file
from tests.scheduling.factories import make_schedule

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("exportschedules", *arguments, stdout=out)
    return out.getvalue()


def test_both_formats_hold_every_live_schedule() -> None:
    make_schedule("first")
    make_schedule("second")
    assert [entry.name for entry in read_file(run()).entries] == ["first", "second"]
    assert len(json.loads(run("--format", "json"))["schedules"]) == 2
    assert read_file(run("--source", "billing")).source == "billing"


def test_secrets_need_to_be_asked_for() -> None:
    make_schedule(task="tests.sample_app.tasks.echo", kwargs={"value": {"password": "x1y2"}})
    assert "x1y2" not in run()
    assert "x1y2" in run("--secrets")
