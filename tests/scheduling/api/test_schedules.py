"""Making, reading and editing schedules by HTTP."""

from typing import Any

import pytest

from accounts.models import User
from audit.models import AuditEvent
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
from tests.api_client import Answer, ApiClient, api_for
from tests.scheduling.factories import NOOP, make_schedule

NEW = {"name": "nightly", "task": NOOP, "cron": "30 3 * * *", "timezone": "Europe/Berlin"}

SECRETIVE = "tests.sample_app.tasks.keep_secret"


def ids(answer: Answer) -> list[int]:
    assert answer.status == 200, answer.text
    return [item["id"] for item in answer.body["items"]]


def test_a_new_schedule_keeps_still_and_is_its_senders(user: User) -> None:
    answer = api_for(user).post("/schedules", NEW)
    schedule = JobSchedule.objects.get()
    assert answer.status == 201, answer.text
    assert answer.headers["Location"] == f"/api/v1/schedules/{schedule.id}"
    assert (schedule.owner_id, answer.body["schedule_status"]) == (user.pk, "PAUSED")
    assert answer.body["execution_status"] == "READY"
    assert "03:30" in answer.body["times"]
    assert answer.body["actions"] == ["run", "resume", "backfill", "disable", "delete"]


def test_a_new_schedule_may_start_at_once(user: User) -> None:
    answer = api_for(user).post("/schedules", {**NEW, "enabled": True})
    assert answer.body["schedule_status"] == "ENABLED"
    assert answer.body["next_run_at"].endswith("Z")


def test_every_column_can_be_given(user: User) -> None:
    body = {
        **NEW,
        "task": "tests.sample_app.tasks.add",
        "description": "Adds.",
        "args": [1],
        "kwargs": {"b": 2},
        "queue": "mail",
        "priority": 5,
        "max_attempts": 2,
        "timeout_seconds": 1.5,
        "tags": ["a", "b"],
        "starts_at": "2026-01-01T00:00:00Z",
        "ends_at": "2099-01-01T00:00:00Z",
        "jitter_seconds": 30,
        "overlap_policy": "allow",
        "missed_policy": "run_all",
        "missed_window_seconds": 3600,
        "missed_limit": 3,
    }
    answer = api_for(user).post("/schedules", body)
    assert answer.status == 201, answer.text
    assert {name: answer.body[name] for name in body} == body


@pytest.mark.parametrize(
    "times",
    [
        {"interval_seconds": 90},
        {"interval_days": 2},
        {"run_at": "2099-01-01T00:00:00Z"},
        {"cron": "0 30 3 * * *"},
        {"cron": ""},
    ],
)
def test_times_are_of_any_kind(user: User, times: dict[str, Any]) -> None:
    body = {"name": "x", "task": NOOP, **times}
    answer = api_for(user).post("/schedules", body)
    assert answer.status == 201, answer.text


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"cron": "99 * * * *"}, "INVALID_CRON", "cron"),
        ({"cron": "0 0 31 2 *"}, "INVALID_CRON", "cron"),
        ({"cron": "a\x00"}, "INVALID_INPUT", "cron"),
        ({"timezone": "Mars/Base"}, "INVALID_TIMEZONE", "timezone"),
        ({"name": " "}, "INVALID_INPUT", "name"),
        ({"name": "x" * 151}, "INVALID_ARGUMENTS", "name"),
        ({"task": "nothing.here"}, "TASK_NOT_FOUND", "task"),
        ({"kwargs": {"nope": 1}}, "INVALID_ARGUMENTS", "nope"),
        ({"kwargs": {"x": "\x00"}}, None, None),
        ({"kwargs": {"password": "•••"}}, "INVALID_INPUT", "kwargs"),
        ({"priority": 101}, "INVALID_SCHEDULE", "priority"),
        ({"priority": 10**30}, "INVALID_SCHEDULE", "priority"),
        ({"interval_seconds": 5}, "INVALID_SCHEDULE", None),
        ({"jitter_seconds": -1}, "INVALID_SCHEDULE", "jitter_seconds"),
        ({"overlap_policy": "often"}, "INVALID_INPUT", "overlap_policy"),
        ({"run_at": "yesterday"}, "INVALID_INPUT", "run_at"),
        ({"tags": ["x"] * 5 + ["y" * 51]}, "INVALID_ARGUMENTS", "tags"),
        ({"schedule_status": "ENABLED"}, "INVALID_INPUT", "schedule_status"),
        ({"owner_id": 1}, "INVALID_INPUT", "owner_id"),
        ({"version": 9}, "INVALID_INPUT", "version"),
    ],
)
def test_what_cannot_be_names_the_field(
    user: User, change: dict[str, Any], code: str | None, field: str | None
) -> None:
    answer = api_for(user).post("/schedules", {**NEW, **change})
    assert answer.status in (400, 404), answer.text
    assert code is None or answer.code == code
    assert field is None or answer.body["field"] == field
    assert not JobSchedule.objects.exists()


def test_a_name_is_used_once(user: User) -> None:
    api = api_for(user)
    api.post("/schedules", NEW)
    answer = api.post("/schedules", NEW)
    assert (answer.status, answer.code, answer.body["field"]) == (409, "NAME_TAKEN", "name")


def test_both_statuses_narrow_the_list(user: User, other_user: User) -> None:
    enabled = make_schedule("a", owner=user)
    paused = make_schedule("b", owner=user, enabled=False)
    make_schedule("c", owner=other_user)
    api = api_for(user)
    assert ids(api.get("/schedules")) == [paused.id, enabled.id]
    assert ids(api.get("/schedules?status=ENABLED")) == [enabled.id]
    assert ids(api.get("/schedules?execution=RUNNING")) == []
    assert ids(api.get(f"/schedules?after={paused.id}")) == []
    assert api.get("/schedules?status=OFF").body["field"] == "status"


def edit(api: ApiClient, schedule: JobSchedule, body: dict[str, Any], tag: str = "*") -> Answer:
    return api.patch(f"/schedules/{schedule.id}", body, headers={"If-Match": tag})


def test_an_edit_leaves_alone_what_it_does_not_name(user: User) -> None:
    schedule = make_schedule(owner=user, description="Every year.", priority=3)
    answer = edit(api_for(user), schedule, {"name": "yearly", "priority": None})
    assert answer.status == 200, answer.text
    assert (answer.body["name"], answer.body["priority"]) == ("yearly", None)
    assert (answer.body["description"], answer.body["cron"]) == ("Every year.", schedule.cron)
    assert AuditEvent.objects.filter(event_type="SCHEDULE_UPDATED").count() == 1


def test_an_edit_overwrites_nothing_that_its_author_has_not_seen(user: User) -> None:
    schedule = make_schedule(owner=user)
    api = api_for(user)
    tag = api.get(f"/schedules/{schedule.id}").headers["ETag"]
    assert tag == '"1"'
    first = edit(api, schedule, {"name": "one"}, tag)
    assert (first.status, first.headers["ETag"]) == (200, '"2"')
    stale = edit(api, schedule, {"name": "two"}, tag)
    assert (stale.status, stale.code) == (409, "STALE_EDIT")
    assert edit(api, schedule, {"name": "three"}, f"W/{first.headers['ETag']}").status == 200


@pytest.mark.parametrize("tag", ["", "abc", '"-1"', '"1", "2"', '"99999999999"'])
def test_a_tag_that_is_none_of_ours_is_refused(user: User, tag: str) -> None:
    answer = edit(api_for(user), make_schedule(owner=user), {"name": "x"}, tag)
    assert (answer.status, answer.body["field"]) == (400, "If-Match")


def test_sensitive_arguments_are_masked_and_a_mask_is_no_value(user: User) -> None:
    schedule = make_schedule(owner=user, task=SECRETIVE, kwargs={"password": "hunter2"})
    api = api_for(user)
    read = api.get(f"/schedules/{schedule.id}")
    assert read.body["kwargs"] == {"password": "•••"}
    answer = edit(api, schedule, {"kwargs": read.body["kwargs"]})
    assert (answer.status, answer.body["field"]) == (400, "kwargs")
    schedule.refresh_from_db()
    assert schedule.kwargs == {"password": "hunter2"}


def test_a_deleted_schedule_is_gone_and_its_name_free(user: User) -> None:
    api = api_for(user)
    made = api.post("/schedules", NEW).body["id"]
    assert api.delete(f"/schedules/{made}").status == 204
    assert api.get(f"/schedules/{made}").code == "SCHEDULE_NOT_FOUND"
    assert api.post("/schedules", NEW).status == 201


def test_who_only_reads_is_offered_nothing(user: User) -> None:
    schedule = make_schedule(owner=user)
    token = api_for(user).post("/tokens", {"name": "x", "scope": "read"}).body["token"]
    assert ApiClient(token).get(f"/schedules/{schedule.id}").body["actions"] == []
    assert JobSchedule.objects.get().schedule_status == ScheduleStatus.ENABLED
