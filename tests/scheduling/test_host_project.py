"""PM14: a project of somebody else takes the product in, under a prefix and in its own layout."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from accounts.models import User
from scheduling.models import JobSchedule
from tests.scheduling.factories import make_schedule
from tests.scheduling.views.test_form import FIELDS
from tests.started import ROOT, test_database_url

BASE = "/ops/timed-work/"

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


def visit(user: User, *places: str) -> dict[str, tuple[int, str, str]]:
    """What the host's process shows to this person, by path."""
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith("CONTROL_PLANE")
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.host_project.visit", str(user.pk), *places],
        cwd=ROOT,
        env=variables | {"DATABASE_URL": test_database_url()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    return {place: tuple(found) for place, found in seen.items()}


def test_every_page_of_schedules_stands_under_the_prefix_in_the_hosts_layout(
    operator: User,
) -> None:
    schedule = make_schedule("nightly", owner=operator, cron="0 3 * * *")
    pages = [BASE, *(f"{BASE}{rest}" for rest in ("new/", "timeline/", "import/"))]
    pages += [
        f"{BASE}{schedule.id}/{rest}"
        for rest in ("", "edit/", "history/", "backfill/", "question/delete/")
    ]
    for place, (status, _, text) in visit(operator, *pages).items():
        assert status == 200, place
        assert 'class="host-layout"' in text, place
        assert "· The host</title>" in text, place
        assert 'href="/schedules/' not in text and 'action="/schedules/' not in text, place


def test_the_hosts_own_tasks_can_be_scheduled(operator: User) -> None:
    fields = FIELDS | {"task": "tests.host_project.letters.tasks.send_digest"}
    fields |= {"kwargs": '{"customer": 42}'}
    form, answer = f"{BASE}new/", f"{BASE}new/#{json.dumps(fields)}"
    seen = visit(operator, form)
    assert "close_day" in seen[form][2] and "send_digest" in seen[form][2]
    status, place, _ = visit(operator, answer)[form]
    schedule = JobSchedule.objects.get()
    assert (status, place) == (302, f"{BASE}{schedule.id}/")
    assert schedule.kwargs == {"customer": 42}


def test_errors_are_answered_there_too(operator: User) -> None:
    seen = visit(operator, f"{BASE}999999/", f"{BASE}?status=ON")
    assert [status for status, _, _ in seen.values()] == [404, 400]
