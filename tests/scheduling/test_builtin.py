"""The four schedules that come with the product."""

import pytest

from controlplane.actors import SYSTEM
from scheduling.actions import delete_schedule, pause_schedule, update_schedule
from scheduling.builtin import ensure_builtin_schedules
from scheduling.models import JobSchedule
from tests.scheduling.conftest import Options

URL = "http://127.0.0.1:8000/healthz"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def everything_allowed(options: Options) -> None:
    options(
        run_command_enabled=True,
        http_request_enabled=True,
        management_commands_allowed=("clearsessions",),
    )


def test_there_are_four_enabled_every_minute() -> None:
    made = ensure_builtin_schedules(URL)
    assert [schedule.name for schedule in made] == [
        "System report",
        "Health check",
        "Session clean-up",
        "Database report",
    ]
    assert {(s.schedule_status, s.cron) for s in made} == {("ENABLED", "* * * * *")}


def test_repeating_makes_nothing_twice_and_keeps_what_people_did() -> None:
    report, health, sessions, database = ensure_builtin_schedules(URL)
    pause_schedule(schedule_id=report.id, actor=SYSTEM)
    update_schedule(schedule_id=sessions.id, actor=SYSTEM, cron="@daily", name="Sessions")
    delete_schedule(schedule_id=database.id, actor=SYSTEM)
    assert ensure_builtin_schedules(URL) == [health, sessions]
    assert JobSchedule.objects.count() == 4
    sessions.refresh_from_db()
    assert (sessions.cron, sessions.name) == ("@daily", "Sessions")


def test_the_health_check_follows_the_page_to_another_port() -> None:
    health = ensure_builtin_schedules(URL)[1]
    ensure_builtin_schedules("http://127.0.0.1:8001/healthz")
    health.refresh_from_db()
    assert health.kwargs["url"] == "http://127.0.0.1:8001/healthz"
    elsewhere = "https://example.com/healthz"
    update_schedule(schedule_id=health.id, actor=SYSTEM, kwargs={"url": elsewhere})
    ensure_builtin_schedules(URL)
    health.refresh_from_db()
    assert health.kwargs["url"] == elsewhere
