"""Jobs that wait their turn: behind the holder of their key, at most one in each place."""

import pytest
from django.db import connection

from controlplane.actors import SYSTEM
from jobs.actions import behind
from jobs.actions.behind import Placed, Turn, enqueue_behind
from jobs.actions.cancel import cancel_job
from jobs.actions.enqueue import JobRequest, enqueue_job
from jobs.errors import InvalidArguments, KeyTaken
from jobs.lifecycle import Status
from jobs.models import Job
from tests.concurrency import Meanwhile, Paused, together
from tests.factories import claim, make_job, make_worker, succeed

pytestmark = pytest.mark.django_db

NOOP = "tests.sample_app.tasks.noop"


def turn(place: str = "next", key: str = "key", *, cancels: bool = False, task: str = NOOP) -> Turn:
    return Turn(request=JobRequest(task=task, overlap_key=key), place=place, cancels=cancels)


def place(*turns: Turn) -> list[Placed | None]:
    return enqueue_behind(turns, actor=SYSTEM)


def states() -> list[tuple[str, str | None, str | None]]:
    return list(Job.objects.order_by("id").values_list("status", "overlap_key", "waits_for_key"))


def test_without_a_holder_it_is_a_job_like_any_other() -> None:
    (placed,) = place(turn())
    assert placed == Placed(Job.objects.get().id, created=True)
    assert states() == [("PENDING", "key", None)]


def test_behind_a_holder_it_waits_in_its_place() -> None:
    first = make_job(Status.RUNNING, overlap_key="key")
    (placed,) = place(turn())
    assert placed is not None and placed.behind == first.id
    assert states()[1] == ("BLOCKED", "next", "key")


def test_a_place_holds_one() -> None:
    make_job(overlap_key="key")
    assert [placed is None for placed in place(turn(), turn(), turn("other"))] == [
        False,
        True,
        False,
    ]
    assert place(turn()) == [None]


def test_of_several_the_first_goes_and_the_others_line_up() -> None:
    placed = place(*(turn(f"place {number}") for number in range(4)))
    assert all(p is not None and p.created for p in placed)
    assert [status for status, *_ in states()] == ["PENDING", "BLOCKED", "BLOCKED", "BLOCKED"]
    first = Job.objects.earliest("id")
    assert {p.behind for p in placed if p} == {None, first.id}


def test_a_running_holder_is_asked_to_stop_and_followed_when_it_ends() -> None:
    first = make_job(Status.PENDING, overlap_key="key")
    execution = claim(first.id, make_worker())
    (placed,) = place(turn(cancels=True))
    assert placed is not None and (placed.behind, placed.cancels) == (first.id, True)
    first.refresh_from_db()
    assert (first.status, first.cancel_requested_at is None) == (Status.RUNNING, False)
    assert states()[1][0] == "BLOCKED"
    succeed(execution)
    assert states() == [("CANCELLED", "key", None), ("PENDING", "key", None)]


def test_a_holder_that_only_waits_itself_is_cancelled_and_followed_at_once() -> None:
    make_job(Status.SCHEDULED, overlap_key="key")
    (placed,) = place(turn(cancels=True))
    assert placed is not None and placed.cancels
    assert states() == [("CANCELLED", "key", None), ("PENDING", "key", None)]


def test_a_task_that_may_exist_once_gives_the_job_there_is() -> None:
    only_one = "tests.sample_app.tasks.only_one"
    there = enqueue_job(task=only_one, actor=SYSTEM)
    assert place(turn(task=only_one)) == [Placed(there.job_id, created=False)]


def test_bad_input_in_one_refuses_all() -> None:
    bad = Turn(request=JobRequest(task=NOOP, args=[1], overlap_key="other"), place="next")
    with pytest.raises(InvalidArguments):
        place(turn(), bad)
    assert not Job.objects.exists()


def test_a_key_that_changes_hands_without_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    make_job(overlap_key="key")
    monkeypatch.setattr(behind._Placing, "_holders", lambda self, indices: {})
    with pytest.raises(KeyTaken, match="faster than others can follow"):
        place(turn())


@pytest.mark.django_db(transaction=True)
def test_an_end_at_the_same_moment_is_followed_at_once() -> None:
    """The end comes first: the look for the holder waits for it and finds the key free."""
    first = make_job(overlap_key="key")
    end = Paused(lambda: cancel_job(job_id=first.id, actor=SYSTEM))
    follow = Meanwhile(lambda: place(turn()))
    follow.wait_until_blocked()
    end.commit()
    (placed,) = follow.result()
    assert placed is not None and placed.behind is None
    assert states() == [("CANCELLED", "key", None), ("PENDING", "key", None)]


@pytest.mark.django_db(transaction=True)
def test_an_end_just_after_sees_who_waits() -> None:
    """The follower comes first: the end waits for its commit, and then lets it go on."""
    first = make_job(overlap_key="key")
    follow = Paused(lambda: place(turn()))
    end = Meanwhile(lambda: cancel_job(job_id=first.id, actor=SYSTEM))
    end.wait_until_blocked()
    follow.commit()
    end.result()
    assert states() == [("CANCELLED", "key", None), ("PENDING", "key", None)]


@pytest.mark.django_db(transaction=True)
def test_at_random_nobody_is_left_behind_and_never_do_two_hold() -> None:
    """Jobs that follow each other race with their ends; in the end every one has had its turn."""
    for round_number in range(25):
        first = make_job(overlap_key="key")
        results = together(
            lambda: cancel_job(job_id=first.id, actor=SYSTEM),  # noqa: B023 - ends in the round
            lambda: place(turn("a")),
            lambda: place(turn("b")),
            spread=0.004,
        )
        assert not [r for r in results if isinstance(r, BaseException)], (round_number, results)
        holders = Job.objects.unfinished().filter(overlap_key="key")
        assert [job.status for job in holders] == ["PENDING"]
        assert Job.objects.filter(status=Status.BLOCKED).count() == 1
        for _ in range(2):
            cancel_job(job_id=holders.get().id, actor=SYSTEM)
        assert not Job.objects.unfinished().exists()
    connection.close()
