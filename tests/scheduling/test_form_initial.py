"""What the form shows at first."""

import json

import pytest

from scheduling.form_initial import defaults, initial_of
from scheduling.models import JobSchedule
from tests.scheduling.factories import make_schedule


def test_a_new_schedule_is_daily_by_cron() -> None:
    initial = defaults()
    assert (initial["kind"], initial["cron"], initial["version"]) == ("cron", "0 3 * * *", None)
    assert initial["base"] == ""


@pytest.mark.django_db
def test_a_stored_one_shows_its_columns_by_its_own_clock() -> None:
    schedule = make_schedule(
        cron="", interval_seconds=5400, timezone="Asia/Tokyo", tags=["a", "b"], enabled=False
    )
    initial = initial_of(schedule)
    assert (initial["kind"], initial["every"], initial["every_unit"]) == ("every", 90, 60)
    assert initial["tags"] == "a, b"
    assert initial["anchor_at"].startswith("20") and initial["run_at"] == ""
    assert json.loads(initial["base"])["timezone"] == "Asia/Tokyo"


def test_sensitive_arguments_are_masked_also_in_the_base() -> None:
    schedule = JobSchedule(task="a.b", kwargs={"password": "x1y2"})
    initial = initial_of(schedule)
    assert "x1y2" not in initial["kwargs"] + initial["base"]
    assert "•••" in initial["kwargs"]
