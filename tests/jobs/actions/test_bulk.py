"""One verb on many jobs."""

import pytest

from audit.models import AuditEvent
from controlplane.actors import Actor
from controlplane.errors import InvalidInput
from jobs.actions.bulk import MAX_JOBS, act_on_jobs
from jobs.lifecycle import Status
from jobs.models import Job
from tests.factories import make_job, make_jobs

VERBS = {"cancel": Status.PENDING, "retry": Status.DEAD_LETTER, "discard": Status.DEAD_LETTER}


@pytest.mark.parametrize("verb", VERBS)
def test_each_job_is_acted_on_for_itself(verb: str, operator_actor: Actor) -> None:
    good = [make_job(VERBS[verb]).id for _ in range(2)]
    ended = make_job(Status.SUCCEEDED).id
    results = act_on_jobs(verb=verb, job_ids=[good[1], ended, good[0]], actor=operator_actor)
    assert [result.job_id for result in results] == [*good, ended]
    assert [result.error is None for result in results] == [True, True, False]
    assert results[2].status == Status.SUCCEEDED


@pytest.mark.parametrize("verb", VERBS)
def test_a_dry_run_says_the_same_and_changes_nothing(verb: str, operator_actor: Actor) -> None:
    ids = [make_job(VERBS[verb]).id, make_job(Status.SUCCEEDED).id, 999_999]
    events = AuditEvent.objects.count()
    dry = act_on_jobs(verb=verb, job_ids=ids, actor=operator_actor, dry_run=True)
    assert AuditEvent.objects.count() == events
    assert list(Job.objects.order_by("id").values_list("status", flat=True)) == [
        VERBS[verb],
        Status.SUCCEEDED,
    ]
    real = act_on_jobs(verb=verb, job_ids=ids, actor=operator_actor)
    assert [r.error and r.error.code for r in dry] == [r.error and r.error.code for r in real]


def test_jobs_of_others_look_as_if_they_did_not_exist(
    user_actor: Actor, other_user_actor: Actor
) -> None:
    job = make_job(owner_id=user_actor.id)
    for dry_run in (True, False):
        (result,) = act_on_jobs(
            verb="cancel", job_ids=[job.id], actor=other_user_actor, dry_run=dry_run
        )
        assert result.error is not None
        assert (result.error.code, result.status) == ("NOT_FOUND", "")
    job.refresh_from_db()
    assert job.status == Status.PENDING


def test_one_id_given_twice_counts_once(operator_actor: Actor) -> None:
    job = make_job()
    results = act_on_jobs(verb="cancel", job_ids=[job.id, job.id], actor=operator_actor)
    assert [result.error for result in results] == [None]


def test_a_reason_is_kept_with_each(operator_actor: Actor) -> None:
    ids = make_jobs(2)
    act_on_jobs(verb="cancel", job_ids=ids, actor=operator_actor, reason="wrong feed")
    events = AuditEvent.objects.filter(event_type="JOB_CANCELLED")
    assert [event.metadata["reason"] for event in events] == ["wrong feed"] * 2


@pytest.mark.parametrize(
    ("verb", "ids", "field"),
    [("delete", [1], "verb"), ("cancel", [], "ids"), ("cancel", [1] * (MAX_JOBS + 1), "ids")],
)
def test_the_call_as_a_whole_can_be_refused(
    operator_actor: Actor, verb: str, ids: list[int], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        act_on_jobs(verb=verb, job_ids=ids, actor=operator_actor)
    assert caught.value.field == field
