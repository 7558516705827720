"""The form of a schedule: what it refuses and where, what it shows before it saves, stale edits."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from controlplane.actors import Actor
from scheduling.actions import update_schedule
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
from tests.scheduling.factories import NOOP, make_schedule

NEW = "/schedules/new/"
PREVIEW = "/schedules/preview/"
#: What a browser sends of the empty form, with a name and a task.
FIELDS: dict[str, Any] = {
    "name": "nightly",
    "task": NOOP,
    "kind": "cron",
    "cron": "0 3 * * *",
    "timezone": "Europe/Berlin",
    "jitter_seconds": "0",
    "overlap_policy": "skip",
    "missed_policy": "run_once",
    "missed_window_seconds": "86400",
    "missed_limit": "10",
    "save": "1",
}


def edit_path(schedule: JobSchedule) -> str:
    return f"/schedules/{schedule.id}/edit/"


def sent_by_the_page(client: Client, schedule: JobSchedule, **changes: str) -> dict[str, Any]:
    """The fields as the edit page shows them, with these changes."""
    page = client.get(edit_path(schedule)).context["form"]
    held = {name: page[name].value() for name in page.fields}
    held = {name: v for name, v in held.items() if v is not None and v is not False}
    return held | {"save": "1"} | changes


def errors_of(response: Any) -> dict[str, str]:
    return {name: " ".join(found) for name, found in response.context["form"].errors.items()}


def test_a_schedule_is_made_paused_or_at_once(operator_client: Client, operator: User) -> None:
    response = operator_client.post(NEW, FIELDS)
    schedule = JobSchedule.objects.get()
    assert response["Location"] == f"/schedules/{schedule.id}/"
    assert (schedule.owner, schedule.schedule_status) == (operator, ScheduleStatus.PAUSED)
    operator_client.post(NEW, FIELDS | {"name": "other", "enabled": "on"})
    assert JobSchedule.objects.get(name="other").schedule_status == ScheduleStatus.ENABLED


def test_every_kind_of_times_is_stored(operator_client: Client) -> None:
    kinds = {
        "every": {"kind": "every", "every": "90", "every_unit": "60"},
        "days": {"kind": "days", "interval_days": "7", "anchor_at": "2027-01-04T16:00:00"},
        "once": {"kind": "once", "run_at": "2099-06-01T12:00:00"},
        "none": {"kind": "none"},
    }
    for name, fields in kinds.items():
        response = operator_client.post(NEW, FIELDS | {"name": name} | fields)
        assert response.status_code == 302, errors_of(response)
    stored = {schedule.name: schedule for schedule in JobSchedule.objects.all()}
    assert stored["every"].interval_seconds == 5400
    assert stored["days"].interval_days == 7
    assert str(stored["days"].anchor_at) == "2027-01-04 15:00:00+00:00"
    assert str(stored["once"].run_at) == "2099-06-01 10:00:00+00:00"
    assert stored["none"].schedule_status == ScheduleStatus.UNSCHEDULED
    assert not any(schedule.cron for schedule in stored.values())


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("cron", "61 * * * *", "minute"),
        ("cron", "0 0 31 2 *", "never fires"),
        ("cron", "", "Give a cron expression"),
        ("cron", "0 0 1 1 * 2027 0", "Seven fields"),
        ("timezone", "Mars/Olympus", "Europe/Berlin"),
        ("name", "", "required"),
        ("task", "gone.away", "No installed app"),
        ("kwargs", "{", "no JSON object"),
        ("kwargs", "[1]", "an object"),
        ("kwargs", '{"unknown": 1}', "unknown"),
        ("kwargs", '{"value": 1}', "unexpected"),
        ("args", "{}", "a list"),
        ("args", "[1, 2, 3]", "too many positional"),
        ("priority", "101", "-100 to 100"),
        ("max_attempts", "22", "1 to 21"),
        ("timeout_seconds", "-1", "31 days"),
        ("jitter_seconds", "3601", "0 to 3600"),
        ("missed_limit", "0", "1 to 1000"),
        ("overlap_policy", "whatever", "not one of"),
        ("kind", "sometimes", "not one of"),
        ("ends_at", "2001-01-01T00:00", "starts_at to ends_at"),
        ("starts_at", "2027-03-28T02:30", "does not exist"),
        ("starts_at", "tomorrow", "2026-11-30T08:00"),
        ("tags", "x" * 51, "50"),
        ("name", "a\x00b", "Null"),
    ],
)
def test_what_is_wrong_stands_at_its_field(
    operator_client: Client, field: str, value: str, told: str
) -> None:
    response = operator_client.post(NEW, FIELDS | {field: value})
    assert response.status_code == 400
    assert told in errors_of(response)[field]
    assert not JobSchedule.objects.exists()


def test_an_argument_of_the_wrong_type_is_told_by_name(operator_client: Client) -> None:
    fields = FIELDS | {"task": "tests.sample_app.tasks.add", "kwargs": '{"a": "4"}'}
    response = operator_client.post(NEW, fields)
    assert errors_of(response) == {"kwargs": "add: a must be a whole number, not a text."}
    assert operator_client.post(NEW, fields | {"kwargs": '{"a": 4}'}).status_code == 302


def test_all_faults_are_told_at_once(operator_client: Client) -> None:
    wrong = {"name": "", "cron": "x", "timezone": "y", "priority": "1000", "kwargs": "{"}
    response = operator_client.post(NEW, FIELDS | wrong)
    assert set(errors_of(response)) == set(wrong)


def test_a_name_that_is_taken_is_a_conflict_at_its_field(operator_client: Client) -> None:
    operator_client.post(NEW, FIELDS)
    response = operator_client.post(NEW, FIELDS)
    assert response.status_code == 409
    assert "another schedule" in errors_of(response)["name"]


def test_a_preset_and_the_builder_write_the_cron_without_any_script(
    operator_client: Client,
) -> None:
    fields = {name: value for name, value in FIELDS.items() if name != "save"}
    page = operator_client.post(NEW, fields | {"preset": "*/5 * * * *"})
    assert page.context["form"]["cron"].value() == "*/5 * * * *"
    assert "Every 5 minutes" in page.text
    weekly = {"builder_kind": "weekly", "builder_clock": "07:15", "builder_weekdays": ["1", "5"]}
    page = operator_client.post(NEW, fields | weekly | {"build": "1"})
    assert page.context["form"]["cron"].value() == "15 7 * * 1,5"
    odd = {"builder_kind": "interval", "builder_every": "7", "builder_unit": "minutes"}
    page = operator_client.post(NEW, fields | odd | {"build": "1"})
    assert "does not come out even" in errors_of(page)["cron"]
    assert not JobSchedule.objects.exists()


def test_the_preview_shows_words_both_clocks_and_the_change(operator_client: Client) -> None:
    fields = FIELDS | {"cron": "30 2 * * *", "timezone": "America/New_York"}
    page = operator_client.post(PREVIEW, fields, headers={"HX-Request": "true"}).text
    assert page.count('data-testid="schedule-preview-run"') == 5
    assert "At 02:30" in page
    assert "02:30 does not exist on" in page
    assert "<html" not in page


def test_the_preview_of_a_preset_also_sends_the_field(operator_client: Client) -> None:
    page = operator_client.post(PREVIEW, FIELDS | {"preset": "0 * * * *"}).text
    assert 'hx-swap-oob="true"' in page
    assert 'value="0 * * * *"' in page


@pytest.mark.parametrize("cron", ["", "nonsense", "0 0 30 2 *", "9" * 300, "\x00"])
def test_the_preview_of_nonsense_is_a_message(operator_client: Client, cron: str) -> None:
    response = operator_client.post(PREVIEW, FIELDS | {"cron": cron})
    assert response.status_code == 200
    assert "errorlist" in response.text


def test_an_edit_of_times_shows_its_effect_before_it_is_saved(
    operator_client: Client, operator: User
) -> None:
    other = make_schedule("beside", cron="0 5 * * *")
    schedule = make_schedule(owner=operator, cron="0 4 * * *")
    fields = sent_by_the_page(operator_client, schedule, cron="0 4,5 * * *")
    page = operator_client.post(edit_path(schedule), fields)
    assert page.status_code == 200, errors_of(page)
    impact = page.context["impact"]
    assert (impact.lost, impact.added) == (0, 10)
    assert {o for run in impact.runs for o in run.others} == {other}
    schedule.refresh_from_db()
    assert schedule.cron == "0 4 * * *"
    seen = re.findall(r'name="impact_seen" value="(\w+)"', page.text)
    response = operator_client.post(edit_path(schedule), fields | {"impact_seen": seen[-1]})
    assert response.status_code == 302
    schedule.refresh_from_db()
    assert schedule.cron == "0 4,5 * * *"


def test_an_effect_that_was_seen_of_other_times_does_not_count(
    operator_client: Client, operator: User
) -> None:
    schedule = make_schedule(owner=operator, cron="0 4 * * *")
    fields = sent_by_the_page(operator_client, schedule, cron="0 5 * * *")
    page = operator_client.post(edit_path(schedule), fields)
    seen = page.context["impact_seen"]
    changed = fields | {"cron": "0 6 * * *", "impact_seen": seen}
    assert operator_client.post(edit_path(schedule), changed).status_code == 200
    schedule.refresh_from_db()
    assert schedule.cron == "0 4 * * *"


def test_an_edit_that_leaves_the_times_alone_is_saved_at_once(
    operator_client: Client, operator: User
) -> None:
    schedule = make_schedule(owner=operator, interval_seconds=5400, cron="")
    was = schedule.next_run_at
    fields = sent_by_the_page(operator_client, schedule, description="what it is for")
    assert operator_client.post(edit_path(schedule), fields).status_code == 302
    schedule.refresh_from_db()
    assert (schedule.description, schedule.next_run_at) == ("what it is for", was)


def test_a_stale_edit_shows_what_changed_and_keeps_both(
    operator_client: Client, operator: User, system: Actor
) -> None:
    schedule = make_schedule(owner=operator)
    fields = sent_by_the_page(operator_client, schedule, description="mine", queue="mail")
    update_schedule(schedule_id=schedule.id, actor=system, priority=7, queue="bulk")
    page = operator_client.post(edit_path(schedule), fields)
    assert page.status_code == 409
    changed = {field.name: field for field in page.context["conflict"].changed}
    assert set(changed) == {"priority", "queue"}
    assert (changed["queue"].now, changed["queue"].yours) == ("bulk", "mail")
    assert changed["queue"].clashes and not changed["priority"].clashes
    form = page.context["form"]
    assert (form["priority"].value(), form["queue"].value()) == (7, "mail")
    again = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    again = {name: value for name, value in again.items() if value is not False} | {"save": "1"}
    assert operator_client.post(edit_path(schedule), again).status_code == 302
    schedule.refresh_from_db()
    assert (schedule.description, schedule.priority, schedule.queue) == ("mine", 7, "mail")


def test_masked_arguments_survive_an_edit(operator_client: Client, operator: User) -> None:
    schedule = make_schedule(
        owner=operator,
        task="tests.sample_app.tasks.echo",
        kwargs={"value": {"password": "x1y2", "host": "a"}},
    )
    page = operator_client.get(edit_path(schedule)).text
    assert "x1y2" not in page and "•••" in page
    shown = '{"value": {"password": "•••", "host": "b"}}'
    fields = sent_by_the_page(operator_client, schedule, kwargs=shown)
    assert operator_client.post(edit_path(schedule), fields).status_code == 302
    schedule.refresh_from_db()
    assert schedule.kwargs == {"value": {"password": "x1y2", "host": "b"}}
    moved = fields | {"kwargs": '{"value": {"token": "•••"}}', "version": str(schedule.version)}
    assert "written anew" in errors_of(operator_client.post(edit_path(schedule), moved))["kwargs"]


def test_others_schedules_have_no_form(user_client: Client, other_user: User) -> None:
    schedule = make_schedule(owner=other_user)
    assert user_client.get(edit_path(schedule)).status_code == 404
    assert user_client.post(edit_path(schedule), FIELDS).status_code == 404
    assert user_client.post(PREVIEW, FIELDS | {"schedule_id": schedule.id}).status_code == 404


def test_without_a_role_there_is_no_form(client: Client, nobody: User) -> None:
    client.force_login(nobody)
    assert client.get(NEW).status_code in {403, 404}
    assert client.post(NEW, FIELDS).status_code in {403, 404}
    assert not JobSchedule.objects.exists()


@pytest.mark.parametrize(
    "corruption", [{"cron": "99 * * * *"}, {"timezone": "Etc/Unknown"}, {"task": "gone.away"}]
)
def test_a_corrupt_row_can_be_opened_and_mended(
    operator_client: Client, operator: User, corruption: dict[str, str]
) -> None:
    schedule = make_schedule(owner=operator)
    JobSchedule.objects.filter(id=schedule.id).update(**corruption)
    assert operator_client.get(edit_path(schedule)).status_code == 200
    fields = FIELDS | {"version": str(schedule.version)}
    page = operator_client.post(edit_path(schedule), fields)
    if page.status_code == 200:
        seen = page.context["impact_seen"]
        page = operator_client.post(edit_path(schedule), fields | {"impact_seen": seen})
    assert page.status_code == 302


def test_the_help_on_a_task_names_its_parameters(operator_client: Client) -> None:
    page = operator_client.get("/schedules/task-help/?task=tests.sample_app.tasks.add").text
    assert "a: int" in page and "b: int = 0" in page
    assert operator_client.get("/schedules/task-help/?task=no.such").status_code == 200
