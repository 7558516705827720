"""Each verb on a job in each state: page, API and code say the same and do the same."""

import re
from typing import Any

import pytest

from accounts.models import User
from audit.models import AuditEvent
from jobs.lifecycle import Status, verbs_for
from jobs.models import Job
from tests.contracts.doors import DOORS, VERBS, Said
from tests.factories import make_job

#: Columns that tell of one job only, or of the moment.
OF_ITS_OWN = {"id", "created_at", "queued_at", "run_after", "finished_at", "cancel_requested_at"}


def left_behind(job: Job) -> dict[str, Any]:
    """The job's columns and what was recorded of it, but for ids and times."""
    columns: dict[str, Any] = dict(Job.objects.values().get(id=job.id))
    events = AuditEvent.objects.filter(target_type="job", target_id=job.id).order_by("id")
    told = [(e.event_type, e.actor_label, e.metadata) for e in events]
    stamps = {name: columns[name] is not None for name in OF_ITS_OWN}
    return {**columns, **stamps, "told": told}


def without_ids(said: Said) -> Said:
    return Said(said.refusal, re.sub(r"\d+", "N", said.sentence))


@pytest.mark.parametrize("state", Status.values)
@pytest.mark.parametrize("verb", VERBS)
def test_every_door_obeys_and_refuses_alike(user: User, verb: str, state: str) -> None:
    outcomes = []
    for door in DOORS:
        job = make_job(state, owner=user)
        said = door.ask(user, verb, job, "because")
        assert (said.refusal == 0) == (verb in verbs_for(state)), said
        outcomes.append((without_ids(said), left_behind(job)))
    assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize("verb", VERBS)
def test_somebody_elses_job_does_not_exist_at_any_door(
    user: User, other_user: User, verb: str
) -> None:
    for door in DOORS:
        job = make_job(owner=user)
        assert door.ask(other_user, verb, job).refusal == 404
        job.refresh_from_db()
        assert job.status == Status.PENDING


@pytest.mark.parametrize("verb", VERBS)
def test_who_has_no_role_is_refused_at_every_door(nobody: User, verb: str) -> None:
    for door in DOORS:
        job = make_job(owner=nobody)
        assert door.ask(nobody, verb, job).refusal == 403


@pytest.mark.parametrize("reason", ["x" * 501, "a\x00b"])
def test_a_reason_has_the_same_limits_at_every_door(user: User, reason: str) -> None:
    for door in DOORS:
        job = make_job(owner=user)
        said = door.ask(user, "cancel", job, reason)
        assert said.refusal == 400
        assert "reason" in said.sentence


def test_a_job_that_is_gone_is_not_found_at_any_door(operator: User) -> None:
    job = make_job()
    job.id = 2**62
    assert {door.ask(operator, "cancel", job).refusal for door in DOORS} == {404}
