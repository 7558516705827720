"""A person decides about an effect that may or may not have happened."""

from typing import Any

import pytest

from accounts.models import User
from controlplane.actors import SYSTEM, Actor
from controlplane.errors import NotFound
from jobs.actions.verify import DECISIONS, verify_job
from jobs.errors import InvalidTransition, KeyTaken
from jobs.lifecycle import Status
from jobs.models import Job
from tests.factories import make_job
from tests.jobs.reading import events, fresh, seconds_from_now, trail

pytestmark = pytest.mark.django_db

TARGETS = {"confirm": "SUCCEEDED", "repeat": "PENDING", "abandon": "CANCELLED"}


def in_doubt(**columns: Any) -> Job:
    return make_job(Status.NEEDS_VERIFICATION, **columns)


@pytest.mark.parametrize("decision", TARGETS)
def test_each_decision_leads_where_it_says(decision: str) -> None:
    job = in_doubt()
    decided = verify_job(job_id=job.id, decision=decision, actor=SYSTEM, reason="looked")
    assert decided.status == TARGETS[decision]
    assert (decided.finished_at is None) is (decision == "repeat")
    assert trail(job.id)[-1] == "JOB_VERIFIED"
    assert events(job.id)[-1].metadata == {
        "previous_status": "NEEDS_VERIFICATION",
        "reason": "looked",
        "decision": decision,
    }


def test_there_are_no_other_decisions() -> None:
    assert set(DECISIONS) == set(TARGETS)


def test_a_repeat_has_a_fresh_budget_and_queues_anew() -> None:
    job = in_doubt(attempts_charged=3)
    repeated = verify_job(job_id=job.id, decision="repeat", actor=SYSTEM)
    assert (repeated.attempts_charged, repeated.reason) == (0, "")
    assert abs(seconds_from_now(repeated.queued_at)) < 5


@pytest.mark.parametrize("decision", ["confirm", "abandon"])
def test_an_end_keeps_what_the_job_has_cost_and_why_it_was_in_doubt(decision: str) -> None:
    job = in_doubt(attempts_charged=3)
    decided = verify_job(job_id=job.id, decision=decision, actor=SYSTEM)
    assert (decided.attempts_charged, decided.reason) == (3, "unconfirmed_effect")


def test_a_repeat_whose_key_is_held_meanwhile_is_refused() -> None:
    job = in_doubt(unique_key="k")
    make_job(unique_key="k")
    with pytest.raises(KeyTaken):
        verify_job(job_id=job.id, decision="repeat", actor=SYSTEM)
    assert fresh(job).status == Status.NEEDS_VERIFICATION
    assert verify_job(job_id=job.id, decision="confirm", actor=SYSTEM).status == "SUCCEEDED"


@pytest.mark.parametrize("decision", ["", "CONFIRM", "cancel", "retry", "maybe\x00"])
def test_another_word_is_no_decision(decision: str) -> None:
    job = in_doubt()
    with pytest.raises(InvalidTransition, match="one of confirm, repeat, abandon") as caught:
        verify_job(job_id=job.id, decision=decision, actor=SYSTEM)
    assert caught.value.field == "decision"
    assert fresh(job).status == Status.NEEDS_VERIFICATION


@pytest.mark.parametrize("decision", TARGETS)
@pytest.mark.parametrize("status", sorted(set(Status) - {Status.NEEDS_VERIFICATION}))
def test_a_job_that_is_not_in_doubt_refuses(decision: str, status: str) -> None:
    job = make_job(status)
    with pytest.raises(InvalidTransition, match=f"is {status}; {decision} is not possible"):
        verify_job(job_id=job.id, decision=decision, actor=SYSTEM)
    assert fresh(job).status == status


def test_a_user_decides_about_own_jobs_only(
    user: User, other_user: User, user_actor: Actor
) -> None:
    own, foreign = in_doubt(owner=user), in_doubt(owner=other_user)
    with pytest.raises(NotFound):
        verify_job(job_id=foreign.id, decision="confirm", actor=user_actor)
    assert fresh(foreign).status == Status.NEEDS_VERIFICATION
    assert verify_job(job_id=own.id, decision="confirm", actor=user_actor).status == "SUCCEEDED"
