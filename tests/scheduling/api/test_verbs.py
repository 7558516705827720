"""Verbs on schedules by HTTP."""

import pytest

from accounts.models import User
from jobs.models import Job
from scheduling.models import JobSchedule
from tests.api_client import api_for
from tests.factories import claim, make_worker
from tests.scheduling.factories import make_schedule


def test_a_schedule_goes_through_its_states(user: User) -> None:
    schedule = make_schedule(owner=user)
    api = api_for(user)
    path = f"/schedules/{schedule.id}"
    states = [
        api.post(f"{path}/{verb}").body["schedule_status"]
        for verb in ("pause", "resume", "resume", "disable", "disable")
    ]
    assert states == ["PAUSED", "ENABLED", "ENABLED", "UNSCHEDULED", "UNSCHEDULED"]
    for verb in ("pause", "resume", "restore", "backfill"):
        body = {"since": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"}
        refused = api.post(f"{path}/{verb}", body if verb == "backfill" else None)
        assert (refused.status, refused.code) == (409, "INVALID_TRANSITION"), verb


def test_a_run_makes_its_job_at_once_and_only_one(user: User) -> None:
    schedule = make_schedule(owner=user, kwargs={"a": 1}, task="tests.sample_app.tasks.add")
    api = api_for(user)
    made = api.post(f"/schedules/{schedule.id}/run", {"kwargs": {"b": 5}, "reason": "now"})
    assert made.status == 201
    assert (made.body["trigger"], made.body["kwargs"]) == ("schedule", {"a": 1, "b": 5})
    again = api.post(f"/schedules/{schedule.id}/run")
    assert (again.status, again.code) == (409, "INVALID_TRANSITION")


def test_a_running_schedule_says_so(user: User) -> None:
    schedule = make_schedule(owner=user)
    api = api_for(user)
    job = api.post(f"/schedules/{schedule.id}/run").body["id"]
    claim(job, make_worker())
    body = api.get(f"/schedules/{schedule.id}").body
    assert (body["schedule_status"], body["execution_status"]) == ("ENABLED", "RUNNING")
    assert "run" not in body["actions"]
    assert [s["id"] for s in api.get("/schedules?execution=RUNNING").body["items"]] == [schedule.id]


def test_a_lost_task_that_is_back_is_restored(user: User) -> None:
    schedule = make_schedule(owner=user)
    JobSchedule.objects.update(schedule_status="TASK_NOT_FOUND", next_run_at=None)
    answer = api_for(user).post(f"/schedules/{schedule.id}/restore")
    assert (answer.body["schedule_status"], answer.body["cron"]) == ("PAUSED", schedule.cron)


def test_past_times_are_listed_and_then_run(user: User) -> None:
    schedule = make_schedule(owner=user, cron="0 3 * * *")
    api = api_for(user)
    body = {"since": "2026-01-01T00:00:00Z", "until": "2026-01-03T00:00:00Z"}
    dry = api.post(f"/schedules/{schedule.id}/backfill", body).body
    assert dry["times"] == ["2026-01-01T03:00:00Z", "2026-01-02T03:00:00Z"]
    assert (dry["dry_run"], dry["job_ids"], Job.objects.count()) == (True, [], 0)
    real = api.post(f"/schedules/{schedule.id}/backfill", {**body, "dry_run": False}).body
    assert len(real["job_ids"]) == Job.objects.count() == 2
    again = api.post(f"/schedules/{schedule.id}/backfill", body).body
    assert (again["times"], again["run_before"]) == ([], 2)


@pytest.mark.parametrize("verb", ["pause", "resume"])
def test_many_are_acted_on_each_for_itself(user: User, other_user: User, verb: str) -> None:
    mine = make_schedule("a", owner=user, enabled=verb == "pause")
    others = make_schedule("b", owner=other_user, enabled=verb == "pause")
    body = {"verb": verb, "ids": [others.id, mine.id]}
    answer = api_for(user).post("/schedules/bulk", body).body
    assert (answer["done"], answer["refused"]) == (1, 1)
    assert [(item["id"], item["done"], item["code"]) for item in answer["items"]] == [
        (mine.id, True, ""),
        (others.id, False, "SCHEDULE_NOT_FOUND"),
    ]


@pytest.mark.parametrize("verb", ["pause", "resume", "disable", "restore", "run", "backfill"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_nothing_is_changed_by_another_method(user: User, verb: str, method: str) -> None:
    schedule = make_schedule(owner=user)
    before = JobSchedule.objects.values().get()
    assert api_for(user)(method, f"/schedules/{schedule.id}/{verb}").status == 405
    assert JobSchedule.objects.values().get() == before
