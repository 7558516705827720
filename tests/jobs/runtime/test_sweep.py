"""Where a claim begins: behind the last one, and now and then at the beginning again."""

from datetime import UTC, datetime

import pytest

from jobs.queue import Claimed, Place
from jobs.runtime.sweep import SWEEP_SECONDS, Sweep
from tests.jobs.runtime.attempts import attempt

ONE = ["default"]


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock: change its only item to move it."""
    moment = [100.0]
    monkeypatch.setattr("jobs.runtime.sweep.time.monotonic", lambda: moment[0])
    return moment


def row(job_id: int, priority: int = 0) -> Claimed:
    return attempt(
        job_id=job_id, priority=priority, queued_at=datetime(2026, 1, 1, tzinfo=UTC)
    ).claimed


def test_the_first_claim_begins_at_the_beginning(now: list[float]) -> None:
    assert Sweep().place(ONE) is None


def test_the_next_one_begins_behind_the_last_row_of_a_full_claim(now: list[float]) -> None:
    line = Sweep()
    line.place(ONE)
    line.claimed([row(1), row(2, priority=-5)], full=True)
    assert line.place(ONE) == Place(-5, datetime(2026, 1, 1, tzinfo=UTC), 2)


def test_after_a_claim_that_was_not_full_it_begins_at_the_beginning(now: list[float]) -> None:
    line = Sweep()
    line.place(ONE)
    line.claimed([row(1)], full=False)
    assert line.place(ONE) is None


def test_it_sweeps_from_the_beginning_now_and_then_for_what_came_late(now: list[float]) -> None:
    line = Sweep()
    line.place(ONE)
    line.claimed([row(1)], full=True)
    now[0] += SWEEP_SECONDS - 0.1
    assert line.place(ONE) is not None
    line.claimed([row(2)], full=True)
    now[0] += 0.2
    assert line.place(ONE) is None
    line.claimed([row(3)], full=True)
    assert line.place(ONE) is not None, "the sweep counts from the last one"


def test_a_place_is_of_one_queue_only(now: list[float]) -> None:
    line = Sweep()
    line.place(ONE)
    line.claimed([row(1)], full=True)
    assert line.place(["other"]) is None
    line.place(["a", "b"])
    line.claimed([row(1)], full=True)
    assert line.place(["a", "b"]) is None, "several queues are several lines"
