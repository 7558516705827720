"""Every status, outcome and kind has its look."""

from datetime import UTC, datetime

import pytest
from django.template import Context
from django.test import RequestFactory

from scheduling.buttons import BUTTONS
from scheduling.lifecycle import ExecutionStatus, ScheduleStatus
from scheduling.models import Firing, JobSchedule
from scheduling.orders import SCHEDULES
from scheduling.preview import PreviewRun
from scheduling.templatetags import scheduling
from scheduling.templatetags.scheduling import (
    execution_state,
    firing_outcome,
    kind_word,
    schedule_state,
    schedule_word,
)
from tests.scheduling.conftest import Options


@pytest.mark.parametrize("status", ScheduleStatus)
def test_every_schedule_status_has_a_badge(status: ScheduleStatus) -> None:
    assert schedule_word(status) in schedule_state(status)


@pytest.mark.parametrize("status", ExecutionStatus)
def test_every_execution_status_has_a_badge(status: ExecutionStatus) -> None:
    assert status.value.capitalize() in execution_state(status)


@pytest.mark.parametrize("outcome", Firing.Outcome)
def test_every_outcome_has_a_badge(outcome: Firing.Outcome) -> None:
    assert 'class="badge"' in firing_outcome(Firing(outcome=outcome))


def test_the_clock_needs_no_word() -> None:
    assert [kind_word(kind) for kind in Firing.Kind.values] == ["", "backfill", "by hand"]


MOMENT = datetime(2026, 11, 30, 8, 0, 0, 250_000, tzinfo=UTC)


def test_a_local_time_is_utc_until_the_browser_rewrites_it(options: Options) -> None:
    options(datetime_format="%d.%m.%Y %H:%M", date_format="%d.%m.")
    shown = scheduling.local_time(MOMENT)
    assert shown.endswith(">30.11.2026 08:00</time>")
    assert 'datetime="2026-11-30T08:00:00.250Z"' in shown
    assert 'data-local="%d.%m.%Y %H:%M"' in shown and "08:00:00 UTC" in shown
    assert ">30.11.<" in scheduling.local_date(MOMENT)
    assert ">08:00<" in scheduling.hour_mark(MOMENT)
    assert scheduling.local_time(None) == ""


def test_a_wall_time_names_day_and_zone() -> None:
    run = PreviewRun(MOMENT, datetime(2026, 11, 30, 9, 0), "CET", "")
    assert scheduling.wall_time(run) == "Mon 2026-11-30 09:00:00 CET"


def test_numbers_are_grouped() -> None:
    assert [scheduling.grouped(n) for n in (None, 0, 1234567)] == ["", "0", "1,234,567"]


def test_a_heading_sorts_and_turns_round(rf: RequestFactory) -> None:
    def heading(order: str, query: str = "") -> str:
        request = rf.get(f"/?{query}")
        context = Context({"request": request, "order": SCHEDULES[order]})
        return scheduling.sort_header(context, "name", "Name")

    assert 'href="?sort=-name"' in heading("name") and 'aria-sort="ascending"' in heading("name")
    assert 'href="?sort=name"' in heading("-name") and 'aria-sort="descending"' in heading("-name")
    assert 'aria-sort="none"' in heading("next")
    assert 'href="?q=x&amp;sort=-name"' in heading("name", "q=x&from=abc&sort=name")


def test_a_verb_is_asked_on_its_page_or_in_a_dialog(rf: RequestFactory) -> None:
    context = Context({"request": rf.get("/schedules/?q=a&sort=name")})
    schedule = JobSchedule(id=7)
    buttons = {button.verb: button for button in BUTTONS}
    dialog = scheduling.asks(context, schedule, buttons["delete"])
    assert 'hx-target="#ask"' in dialog
    assert "/schedules/7/question/delete/?next=%2Fschedules%2F%3Fq%3Da%26sort%3Dname" in dialog
    page = scheduling.asks(context, schedule, buttons["backfill"])
    assert page == 'href="/schedules/7/backfill/"'


@pytest.mark.parametrize("verdict", ["kept", "lost", "added"])
def test_every_verdict_has_a_badge(verdict: str) -> None:
    assert verdict.capitalize() in scheduling.verdict(verdict)


@pytest.mark.parametrize(
    "status", ["created", "updated", "unchanged", "skipped", "refused", "ignored"]
)
def test_every_fate_of_an_imported_line_has_a_badge(status: str) -> None:
    assert status.capitalize() in scheduling.import_status(status)
