"""What became of a schedule's times, by HTTP."""

from accounts.models import User
from tests.api_client import api_for
from tests.factories import claim, make_worker, succeed
from tests.scheduling.factories import make_schedule


def test_times_and_attempts_are_listed_newest_first(user: User, other_user: User) -> None:
    schedule = make_schedule(owner=user)
    api = api_for(user)
    jobs = []
    for _ in range(2):
        jobs.append(api.post(f"/schedules/{schedule.id}/run").body["id"])
        succeed(claim(jobs[-1], make_worker()))
    firings = api.get(f"/schedules/{schedule.id}/firings").body["items"]
    assert [(f["kind"], f["outcome"], f["job_id"]) for f in firings] == [
        ("manual", "enqueued", job) for job in reversed(jobs)
    ]
    runs = api.get(f"/schedules/{schedule.id}/executions?page_size=1").body
    assert [(run["job_id"], run["status"]) for run in runs["items"]] == [(jobs[1], "SUCCEEDED")]
    older = api.get(runs["next"].removeprefix("/api/v1")).body["items"]
    assert [run["job_id"] for run in older] == [jobs[0]]
    for query, found in (
        ("start_date=2000-01-01&start_time=00:00", 2),
        ("start_date=2999-01-01", 0),
        ("end_date=2000-01-01", 0),
        ("outcome=FAILED", 0),
        ("outcome=SUCCEEDED&end_time=00:00-00:00", 2),
    ):
        body = api.get(f"/schedules/{schedule.id}/executions?{query}").body
        assert len(body["items"]) == found, query
    answer = api.get(f"/schedules/{schedule.id}/executions?start_time=noon")
    assert (answer.status, answer.body["field"]) == (400, "start_time")
    for what in ("firings", "executions"):
        answer = api_for(other_user).get(f"/schedules/{schedule.id}/{what}")
        assert (answer.status, answer.code) == (404, "SCHEDULE_NOT_FOUND")
