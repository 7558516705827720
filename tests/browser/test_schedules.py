"""What people do with schedules, named by what they want. Found by test ids alone (PM11)."""

import re
from datetime import datetime

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.models import User
from controlplane.actors import SYSTEM
from controlplane.testids import Element
from jobs.lifecycle import Status
from jobs.models import Job, JobExecution
from scheduling.actions import pause_schedule, run_now, update_schedule
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
from tests.browser.conftest import OpenAs
from tests.factories import claim, make_job, make_worker
from tests.scheduling.factories import NOOP, make_schedule

pytestmark = pytest.mark.browser

LIST = "/schedules/"
PHONE = {"width": 390, "height": 844}


def find(page: Page | Locator, element: Element) -> Locator:
    return page.get_by_test_id(element.value)


def row(page: Page, name: str) -> Locator:
    return find(page, Element.SCHEDULE_ROW).filter(has_text=name)


def fill(page: Page, **fields: str) -> None:
    """The form's fields of these names."""
    for name, value in fields.items():
        find(page, Element[f"SCHEDULE_FORM_{name.upper()}"]).fill(value)


def test_make_a_schedule_across_a_change_of_the_clock(open_as: OpenAs, operator: User) -> None:
    page = open_as(operator, LIST, timezone_id="Asia/Kolkata")
    find(page, Element.SCHEDULE_CREATE).click()
    fill(page, name="Nightly", zone="America/New_York", cron="30 2 * * *")
    find(page, Element.SCHEDULE_FORM_TASK).select_option(NOOP)
    preview = find(page, Element.SCHEDULE_PREVIEW)
    expect(preview).to_contain_text("At 02:30")
    expect(preview).to_contain_text(re.compile("02:30 does not exist on 20..-03-.*03:00"))
    runs = find(preview, Element.SCHEDULE_PREVIEW_RUN)
    expect(runs).to_have_count(5)
    # 02:30 in New York is 12:00 or 13:00 in India, whichever clock New York has by now.
    expect(runs.first).to_contain_text(re.compile("02:30:00 E[SD]T"))
    expect(runs.first).to_contain_text(re.compile("1[23]:00:00"))
    expect(preview).to_contain_text(re.compile("Asia/(Kolkata|Calcutta)"))
    find(page, Element.SCHEDULE_FORM_SAVE).click()
    expect(page.locator(".toasts")).to_have_text("Nightly is made.")
    schedule = JobSchedule.objects.get()
    assert (schedule.cron, schedule.timezone) == ("30 2 * * *", "America/New_York")
    assert schedule.schedule_status == ScheduleStatus.PAUSED


def test_be_told_at_once_what_is_wrong_with_a_cron(open_as: OpenAs, operator: User) -> None:
    page = open_as(operator, "/schedules/new/")
    fill(page, cron="61 * * * *")
    preview = find(page, Element.SCHEDULE_PREVIEW)
    expect(preview).to_contain_text("minute: 61 is not from 0 to 59.")
    fill(page, cron="0 0 31 2 *")
    expect(preview).to_contain_text("never fires")


def test_let_a_preset_and_the_builder_write_the_cron(open_as: OpenAs, operator: User) -> None:
    page = open_as(operator, "/schedules/new/")
    cron = find(page, Element.SCHEDULE_FORM_CRON)
    find(page, Element.SCHEDULE_FORM_PRESET).filter(has_text="weekdays").click()
    expect(cron).to_have_value("0 8 * * 1-5")
    builder = find(page, Element.SCHEDULE_FORM_BUILDER)
    builder.locator("summary").click()
    builder.get_by_label("Monthly").check()
    builder.get_by_label("Day of the month").fill("L")
    builder.get_by_label("Time of day").fill("22:15")
    find(page, Element.SCHEDULE_FORM_BUILD).click()
    expect(cron).to_have_value("15 22 L * *")
    expect(find(page, Element.SCHEDULE_PREVIEW)).to_contain_text("last day of the month")


def test_see_what_an_edit_loses_and_adds_before_it_is_saved(
    open_as: OpenAs, operator: User
) -> None:
    make_schedule("Beside", cron="0 5 * * *")
    schedule = make_schedule("Nightly", owner=operator, cron="0 4 * * *")
    page = open_as(operator, f"/schedules/{schedule.id}/edit/")
    fill(page, cron="0 5 * * *")
    impact = find(page, Element.SCHEDULE_IMPACT)
    expect(impact).to_contain_text(re.compile(r"\d+ lost, \d+ added"))
    expect(impact).to_contain_text("Beside")
    find(page, Element.SCHEDULE_FORM_SAVE).click()
    expect(page.locator(".toasts")).to_have_text("Nightly is saved.")
    schedule.refresh_from_db()
    assert schedule.cron == "0 5 * * *"


def test_be_shown_what_somebody_else_changed_meanwhile(open_as: OpenAs, operator: User) -> None:
    schedule = make_schedule("Nightly", owner=operator)
    # A tab of its own: the browser itself notes the answer 409 as an error.
    page = open_as(operator, LIST).context.new_page()
    page.goto(f"/schedules/{schedule.id}/edit/")
    update_schedule(schedule_id=schedule.id, actor=SYSTEM, queue="bulk")
    fill(page, name="Every night")
    find(page, Element.SCHEDULE_FORM_SAVE).click()
    conflict = find(page, Element.SCHEDULE_CONFLICT)
    expect(conflict).to_contain_text("Queue")
    expect(conflict).to_contain_text("bulk")
    find(page, Element.SCHEDULE_FORM_SAVE).click()
    expect(page.locator(".toasts")).to_have_text("Every night is saved.")
    schedule.refresh_from_db()
    assert (schedule.name, schedule.queue) == ("Every night", "bulk")


def test_run_pause_and_delete_from_a_row(open_as: OpenAs, operator: User) -> None:
    make_schedule("Nightly", owner=operator)
    page = open_as(operator, LIST)
    find(row(page, "Nightly"), Element.SCHEDULE_RUN).click()
    dialog = find(page, Element.SCHEDULE_DIALOG)
    dialog.get_by_label("Reason").fill("to see it run")
    find(page, Element.SCHEDULE_DIALOG_CONFIRM).click()
    expect(page.locator(".toasts")).to_contain_text("is queued")
    assert Job.objects.get().trigger == "schedule"
    find(row(page, "Nightly"), Element.SCHEDULE_TOGGLE).click()
    expect(find(row(page, "Nightly"), Element.SCHEDULE_STATUS)).to_have_text("Paused")
    find(row(page, "Nightly"), Element.SCHEDULE_ACTIONS).click()
    find(page, Element.SCHEDULE_DELETE).click()
    find(page, Element.SCHEDULE_DIALOG_CANCEL).click()
    expect(dialog).to_be_hidden()
    find(row(page, "Nightly"), Element.SCHEDULE_ACTIONS).click()
    find(page, Element.SCHEDULE_DELETE).click()
    find(page, Element.SCHEDULE_DIALOG_CONFIRM).click()
    expect(find(page, Element.SCHEDULE_ROW)).to_have_count(0)


def test_pause_several_at_once(open_as: OpenAs, operator: User) -> None:
    for name in ("First", "Second", "Third"):
        make_schedule(name)
    page = open_as(operator, LIST)
    bulk = find(page, Element.SCHEDULE_BULK)
    expect(bulk).to_be_hidden()
    for name in ("First", "Third"):
        find(row(page, name), Element.SCHEDULE_SELECT).check()
    expect(bulk).to_contain_text("2 schedules")
    find(page, Element.SCHEDULE_BULK_PAUSE).click()
    expect(page.locator(".toasts")).to_have_text("2 schedules paused.")
    expect(find(row(page, "Second"), Element.SCHEDULE_STATUS)).to_have_text("Enabled")
    find(page, Element.SCHEDULE_SELECT_ALL).check()
    expect(bulk).to_contain_text("3 schedules")


def test_find_schedules_by_status_and_word(open_as: OpenAs, operator: User) -> None:
    make_schedule("Backup of the shop")
    make_schedule("Backup of the letters", enabled=False)
    page = open_as(operator, LIST)
    find(page, Element.SCHEDULE_FILTER_SEARCH).fill("backup")
    find(page, Element.SCHEDULE_FILTER_STATUS).select_option("PAUSED")
    find(page, Element.SCHEDULE_FILTER_APPLY).click()
    expect(find(page, Element.SCHEDULE_ROW)).to_have_count(1)
    expect(row(page, "letters")).to_be_visible()
    find(page, Element.SCHEDULE_FILTER_CLEAR).click()
    expect(find(page, Element.SCHEDULE_ROW)).to_have_count(2)


def test_filter_a_history_by_ones_own_clock(open_as: OpenAs, operator: User) -> None:
    schedule = make_schedule()
    # 19:00 UTC is half past midnight of the next day in India.
    for start in ("2026-06-01T19:00Z", "2026-06-01T12:00Z"):
        job = make_job(Status.SUCCEEDED, trigger="schedule", trigger_id=schedule.id)
        moment = datetime.fromisoformat(start)
        JobExecution.objects.filter(job=job).update(started_at=moment, finished_at=moment)
    place = f"/schedules/{schedule.id}/history/"
    page = open_as(operator, place, timezone_id="Asia/Kolkata")
    rows = find(page, Element.HISTORY_ROW)
    expect(rows.first).to_contain_text("2026-06-01 17:30:00")
    find(page, Element.HISTORY_FILTER_START_DATE).fill("2026-06-02")
    find(page, Element.HISTORY_FILTER_APPLY).click()
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("2026-06-02 00:30:00")
    assert page.url.endswith("?start_date=2026-06-01T18%3A30Z")
    expect(find(page, Element.HISTORY_FILTER_START_DATE)).to_have_value("2026-06-02")
    find(page, Element.HISTORY_FILTER_START_DATE).fill("")
    find(page, Element.HISTORY_FILTER_START_TIME).fill("17:00")
    find(page, Element.HISTORY_FILTER_APPLY).click()
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("17:30:00")
    assert page.url.endswith("?start_time=11%3A30-18%3A30")
    expect(find(page, Element.HISTORY_FILTER_START_TIME)).to_have_value("17:00")


def test_make_a_schedule_without_any_script(open_as: OpenAs, operator: User) -> None:
    page = open_as(operator, "/schedules/new/", java_script_enabled=False)
    fill(page, name="Weekly", zone="Europe/Berlin")
    find(page, Element.SCHEDULE_FORM_TASK).select_option(NOOP)
    find(page, Element.SCHEDULE_FORM_PRESET).filter(has_text="Sundays").click()
    expect(find(page, Element.SCHEDULE_FORM_CRON)).to_have_value("0 3 * * 0")
    expect(find(page, Element.SCHEDULE_PREVIEW)).to_contain_text("only on Sunday")
    find(page, Element.SCHEDULE_FORM_NAME).press("Enter")
    expect(page.locator(".toasts")).to_have_text("Weekly is made.")
    find(page, Element.SCHEDULE_DELETE).click()
    find(page, Element.SCHEDULE_DIALOG_CONFIRM).click()
    expect(page.locator(".toasts")).to_have_text("The schedule is deleted.")


def test_use_schedules_on_a_phone(open_as: OpenAs, operator: User) -> None:
    schedule = make_schedule(f"{'long' * 20} name", cron="30 2 * * *", timezone="America/New_York")
    make_job(Status.SUCCEEDED, trigger="schedule", trigger_id=schedule.id)
    page = open_as(operator, LIST, viewport=PHONE)
    places = ("", "new/", "timeline/", "import/")
    own = ("", "edit/", "history/", "backfill/", "question/delete/")
    for place in (*places, *(f"{schedule.id}/{rest}" for rest in own)):
        page.goto(f"{LIST}{place}")
        expect(page.locator("main h1")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], place
    page.goto(f"{LIST}{schedule.id}/")
    first = find(page, Element.SCHEDULE_PREVIEW_RUN).first
    before = "getComputedStyle(e.querySelector('td'), '::before').content"
    assert "America/New_York" in first.evaluate(f"e => {before}")
    expect(first.locator("[data-zone-name]")).to_be_visible()


def test_pm8_both_statuses_reach_an_open_page_at_once(open_as: OpenAs, operator: User) -> None:
    schedule = make_schedule("nightly")
    page = open_as(operator, LIST)
    page.mouse.move(0, 0)  # nothing moves under the cursor
    expect(find(row(page, "nightly"), Element.SCHEDULE_STATUS)).to_have_text("Enabled")
    pause_schedule(schedule_id=schedule.id, actor=SYSTEM)
    expect(find(row(page, "nightly"), Element.SCHEDULE_STATUS)).to_have_text("Paused")
    run_now(schedule_id=schedule.id, actor=SYSTEM, reason="to see it run")
    claim(Job.objects.get(trigger_id=schedule.id).id, make_worker())
    expect(find(row(page, "nightly"), Element.SCHEDULE_EXECUTION_STATUS)).to_have_text("Running")
