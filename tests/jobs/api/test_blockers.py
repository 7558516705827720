"""Why a job is not running, as scripts ask it."""

from accounts.models import User
from tests.api_client import api_for
from tests.factories import make_job


def test_it_names_what_is_in_the_way(operator: User) -> None:
    job = make_job()
    body = api_for(operator).get(f"/jobs/{job.pk}/blockers").body
    assert body["status"] == "PENDING"
    assert [one["code"] for one in body["blockers"]] == ["no_executor"]


def test_other_peoples_jobs_go_unnamed(user: User) -> None:
    make_job()
    mine = make_job(owner=user)
    body = api_for(user).get(f"/jobs/{mine.pk}/blockers").body
    behind = body["blockers"][-1]
    assert (behind["code"], behind["job_id"]) == ("behind_others", None)
