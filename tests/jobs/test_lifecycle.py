"""Every state against every transition. The table is spelled out here once more, on purpose."""

from datetime import UTC, datetime
from typing import NamedTuple

import pytest

from audit.vocabulary import EventType
from jobs import lifecycle
from jobs.lifecycle import Outcome, Status, Transition
from jobs.models import Job

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


class Edge(NamedTuple):
    sources: set[str]
    target: str
    event: str
    verb: str = ""
    #: What the move does to the age: "new" queues again behind its equals.
    age: str = "kept"


EDGES = {
    "claim": Edge({"PENDING"}, "RUNNING", "JOB_STARTED"),
    "succeed": Edge({"RUNNING"}, "SUCCEEDED", "JOB_SUCCEEDED"),
    "fail": Edge({"RUNNING"}, "FAILED", "JOB_FAILED"),
    "expire": Edge({"RUNNING"}, "FAILED", "JOB_TIMED_OUT"),
    "give_up": Edge({"FAILED"}, "DEAD_LETTER", "JOB_DEAD_LETTERED"),
    "retry_due": Edge({"FAILED"}, "PENDING", "JOB_REQUEUED", age="new"),
    "become_due": Edge({"SCHEDULED"}, "PENDING", "JOB_DUE", age="new"),
    "block": Edge({"PENDING"}, "BLOCKED", "JOB_BLOCKED"),
    "unblock": Edge({"BLOCKED"}, "PENDING", "JOB_UNBLOCKED", age="new"),
    "hand_back": Edge({"RUNNING"}, "PENDING", "JOB_HANDED_BACK"),
    "snooze": Edge({"RUNNING"}, "SCHEDULED", "JOB_SNOOZED"),
    "doubt": Edge({"RUNNING"}, "NEEDS_VERIFICATION", "JOB_NEEDS_VERIFICATION"),
    "cancel_running": Edge({"RUNNING"}, "CANCELLED", "JOB_CANCELLED"),
    "cancel": Edge(
        {"SCHEDULED", "BLOCKED", "PENDING", "FAILED"}, "CANCELLED", "JOB_CANCELLED", "cancel"
    ),
    "retry": Edge({"DEAD_LETTER"}, "PENDING", "JOB_RETRIED", "retry", age="new"),
    "discard": Edge({"DEAD_LETTER"}, "CANCELLED", "JOB_DISCARDED", "discard"),
    "confirm": Edge({"NEEDS_VERIFICATION"}, "SUCCEEDED", "JOB_VERIFIED", "confirm"),
    "repeat": Edge({"NEEDS_VERIFICATION"}, "PENDING", "JOB_VERIFIED", "repeat", age="new"),
    "abandon": Edge({"NEEDS_VERIFICATION"}, "CANCELLED", "JOB_VERIFIED", "abandon"),
}

VERBS = {
    "PENDING": {"cancel"},
    "SCHEDULED": {"cancel"},
    "BLOCKED": {"cancel"},
    "RUNNING": {"cancel"},
    "SUCCEEDED": set(),
    "FAILED": {"cancel"},
    "CANCELLED": set(),
    "DEAD_LETTER": {"retry", "discard"},
    "NEEDS_VERIFICATION": {"confirm", "repeat", "abandon"},
}

ENDED = {"SUCCEEDED", "CANCELLED", "DEAD_LETTER"}
TIMED = {"SCHEDULED", "FAILED"}

BY_NAME = {transition.name: transition for transition in lifecycle.TRANSITIONS}


def in_every_state() -> dict[str, Job]:
    """One bare row in each state, as old as they come."""
    rows = [
        Job(
            task="app.tasks.t",
            status=status,
            queued_at=LONG_AGO,
            finished_at=LONG_AGO if status in ENDED else None,
            run_after=LONG_AGO if status in TIMED else None,
        )
        for status in Status
    ]
    return {job.status: job for job in Job.objects.bulk_create(rows)}


def extra_columns(transition: Transition) -> dict[str, datetime]:
    """What a caller adds: a time, where the target waits for one."""
    return {"run_after": LONG_AGO} if transition.target in TIMED else {}


def columns(job: Job) -> tuple[object, ...]:
    return (job.status, job.finished_at, job.run_after, job.queued_at)


def test_the_table_holds_each_edge_once_and_no_other() -> None:
    assert set(BY_NAME) == set(EDGES)
    assert len(lifecycle.TRANSITIONS) == len(EDGES)


def test_every_module_level_transition_is_in_the_table() -> None:
    named = {t for t in vars(lifecycle).values() if isinstance(t, Transition)}
    assert named == set(lifecycle.TRANSITIONS)


@pytest.mark.parametrize("name", EDGES)
def test_an_edge_says_where_it_leads_and_what_is_recorded(name: str) -> None:
    transition, edge = BY_NAME[name], EDGES[name]
    assert set(transition.sources) == edge.sources
    assert len(transition.sources) == len(edge.sources)
    assert transition.target == edge.target
    assert transition.event is EventType(edge.event)
    assert transition.verb == edge.verb


@pytest.mark.django_db
@pytest.mark.parametrize("name", EDGES)
def test_a_transition_moves_its_sources_and_nothing_else(name: str) -> None:
    transition, edge = BY_NAME[name], EDGES[name]
    jobs = in_every_state()
    for status, job in jobs.items():
        before = columns(job)
        moved = lifecycle.apply(
            transition, Job.objects.filter(pk=job.pk), **extra_columns(transition)
        )
        job.refresh_from_db()
        if status in edge.sources:
            assert moved == 1
            _check_moved(job, edge)
        else:
            assert moved == 0
            assert columns(job) == before


def _check_moved(job: Job, edge: Edge) -> None:
    assert job.status == edge.target
    if edge.target in ENDED:
        assert job.finished_at is not None
        assert job.finished_at > LONG_AGO
    else:
        assert job.finished_at is None
    assert job.run_after == (LONG_AGO if edge.target in TIMED else None)
    assert job.queued_at is not None
    assert (job.queued_at == LONG_AGO) is (edge.age == "kept")


@pytest.mark.django_db
def test_apply_counts_what_moved_and_touches_only_the_given_rows() -> None:
    chosen = in_every_state()
    others = in_every_state()
    rows = Job.objects.filter(pk__in=[job.pk for job in chosen.values()])
    assert lifecycle.apply(lifecycle.CANCEL, rows) == len(lifecycle.CANCEL.sources)
    for status, job in others.items():
        job.refresh_from_db()
        assert job.status == status


@pytest.mark.django_db
def test_apply_sets_the_columns_that_the_caller_adds() -> None:
    job = in_every_state()["DEAD_LETTER"]
    lifecycle.apply(
        lifecycle.RETRY, Job.objects.filter(pk=job.pk), attempts_charged=0, reason="again"
    )
    job.refresh_from_db()
    assert (job.status, job.attempts_charged, job.reason) == ("PENDING", 0, "again")


@pytest.mark.parametrize("status", Status)
def test_each_state_offers_its_verbs(status: Status) -> None:
    verbs = lifecycle.verbs_for(status)
    assert set(verbs) == VERBS[status]
    assert len(verbs) == len(VERBS[status])
    assert lifecycle.verbs_for(str(status)) == verbs


def test_nothing_leaves_a_final_state() -> None:
    assert set(lifecycle.FINAL) == {"SUCCEEDED", "CANCELLED"}
    left = {source for transition in lifecycle.TRANSITIONS for source in transition.sources}
    assert left == set(Status) - set(lifecycle.FINAL)


def test_every_state_but_the_first_ones_can_be_reached() -> None:
    reached = {transition.target for transition in lifecycle.TRANSITIONS}
    assert reached == set(Status)


def test_the_derived_sets_are_what_the_design_says() -> None:
    assert set(lifecycle.ENDED) == ENDED
    assert set(lifecycle.TIMED) == TIMED
    unfinished = {"PENDING", "SCHEDULED", "BLOCKED", "RUNNING", "FAILED"}
    assert set(lifecycle.UNFINISHED) == unfinished
    assert set(lifecycle.CANCELLABLE) == unfinished
    assert set(lifecycle.NOTABLE) == set(Status) - {"PENDING", "RUNNING", "SUCCEEDED"}


def test_the_states_and_outcomes_are_the_known_ones() -> None:
    assert set(Status.values) == set(VERBS)
    assert set(Outcome.values) == {
        "RUNNING",
        "SUCCEEDED",
        "FAILED",
        "TIMED_OUT",
        "CANCELLED",
        "INTERRUPTED",
    }


def test_a_transition_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        lifecycle.CANCEL.target = Status.PENDING  # type: ignore[misc]
