"""Claimed jobs wait in the order of the claim, and slots wake only as needed."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from jobs.runtime import buffer as buffer_module
from jobs.runtime.attempt import Attempt
from jobs.runtime.buffer import SHORT_SECONDS, Buffer
from tests.jobs.runtime.attempts import attempt
from tests.waiting import wait_until


def order(buffer: Buffer) -> list[int]:
    """Ids of the jobs, as slots would take them."""
    taken: dict[int, Attempt] = {}
    while buffer.take(0.0, taken) is not None:
        pass
    return [one.claimed.job_id for one in taken.values()]


def test_the_first_one_is_of_higher_priority_then_older_then_of_lower_id() -> None:
    buffer = Buffer()
    buffer.put(
        [
            attempt(job_id=5),
            attempt(job_id=4, queued_at=datetime(2026, 1, 1, 0, 0, int(2.0), tzinfo=UTC)),
            attempt(job_id=3),
        ]
    )
    buffer.put(
        [
            attempt(
                job_id=2, priority=1, queued_at=datetime(2026, 1, 1, 0, 0, int(9.0), tzinfo=UTC)
            ),
            attempt(job_id=1, priority=-1),
        ]
    )
    assert order(buffer) == [2, 3, 5, 4, 1]


def test_two_claims_of_one_job_may_wait_at_once() -> None:
    """The first one lost its lease while this executor was frozen, and it claimed the job again."""
    buffer = Buffer()
    buffer.put([attempt(job_id=1, execution_id=12), attempt(job_id=1, execution_id=11)])
    taken: dict[int, Attempt] = {}
    assert [buffer.take(0.0, taken) is not None for _ in range(3)] == [True, True, False]
    assert list(taken) == [11, 12]


def test_an_empty_buffer_gives_nothing_in_time() -> None:
    buffer = Buffer()
    assert buffer.take(0.01, {}) is None
    assert (buffer.idle, buffer.taken) == (0, 0)


def test_what_is_taken_runs_before_it_stops_waiting() -> None:
    """Or a drain that looks at both would miss it between the two."""
    buffer = Buffer()
    buffer.put([attempt(job_id=1)])
    seen: list[int] = []

    class Running(dict[int, Attempt]):
        def __setitem__(self, key: int, value: Attempt) -> None:
            seen.append(key)
            assert buffer._lock.locked(), "nobody can look at the buffer now"
            super().__setitem__(key, value)

    taken = buffer.take(0.0, Running())
    assert taken is not None
    assert seen == [taken.claimed.execution_id]


def test_a_waiting_slot_is_woken_by_new_work() -> None:
    buffer = Buffer()
    taken: dict[int, Attempt] = {}
    slot = threading.Thread(target=buffer.take, args=(20.0, taken))
    slot.start()
    wait_until(lambda: buffer.idle == 1, what="a slot that waits")
    buffer.put([attempt()])
    slot.join(5)
    assert (len(taken), len(buffer), buffer.idle) == (1, 0, 0)


@pytest.fixture
def waiting_slots() -> Callable[[Buffer, int], list[threading.Thread]]:
    def start(buffer: Buffer, count: int) -> list[threading.Thread]:
        slots = [
            threading.Thread(target=buffer.take, args=(20.0, {}), daemon=True) for _ in range(count)
        ]
        for slot in slots:
            slot.start()
        wait_until(lambda: buffer.idle == count, what="slots that wait")
        return slots

    return start


def test_long_attempts_wake_one_slot_after_the_other(
    waiting_slots: Callable[[Buffer, int], list[threading.Thread]],
) -> None:
    buffer = Buffer()
    slots = waiting_slots(buffer, 3)
    buffer.put([attempt(), attempt(), attempt()])
    for slot in slots:
        slot.join(5)
    assert buffer.taken == 3


def test_attempts_that_have_become_long_wake_the_next_slot_again(
    waiting_slots: Callable[[Buffer, int], list[threading.Thread]],
) -> None:
    buffer = Buffer()
    for seconds in (*[SHORT_SECONDS / 10] * 9, *[SHORT_SECONDS * 2] * 3):
        buffer.measured(seconds)
    slots = waiting_slots(buffer, 2)
    buffer.put([attempt(), attempt()])
    for slot in slots:
        slot.join(5)
    assert buffer.taken == 2


def test_short_attempts_wake_one_slot_and_a_nudge_the_next(
    waiting_slots: Callable[[Buffer, int], list[threading.Thread]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    buffer = Buffer()
    for seconds in (*[SHORT_SECONDS / 10] * 3, 5.0, 5.0):  # those two waited for something else
        buffer.measured(seconds)
    slots = waiting_slots(buffer, 2)
    buffer.put([attempt(), attempt()])
    wait_until(lambda: buffer.taken == 1, what="the first one taken")
    assert (len(buffer), buffer.idle) == (1, 1)
    monkeypatch.setattr(buffer_module, "SHORT_SECONDS", -1.0)
    buffer.nudge()
    for slot in slots:
        slot.join(5)
    assert buffer.taken == 2


def test_the_typical_duration_follows_what_is_measured() -> None:
    buffer = Buffer()
    assert buffer.typical_seconds == float("inf"), "unknown: claim nothing ahead"
    buffer.measured(2.0)
    assert buffer.typical_seconds == 2.0
    for _ in range(100):
        buffer.measured(0.5)
    assert buffer.typical_seconds == pytest.approx(0.5, abs=0.001)


def test_how_long_work_waits_counts_from_the_last_one_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [100.0]
    monkeypatch.setattr("jobs.runtime.buffer.time.monotonic", lambda: clock[0])
    buffer = Buffer()
    assert buffer.waited() == 0.0
    buffer.put([attempt(), attempt(), attempt()])
    clock[0] += 3
    assert buffer.waited() == 3.0
    buffer.put([attempt()])
    assert buffer.waited() == 3.0
    buffer.take(0.0, {})
    clock[0] += 1
    assert buffer.waited() == 1.0
    buffer.drain()
    assert buffer.waited() == 0.0
    buffer.put([attempt()])
    assert buffer.waited() == 0.0


def test_the_lowest_priority_is_that_of_the_last_in_line() -> None:
    buffer = Buffer()
    assert buffer.lowest_priority() is None
    buffer.put([attempt(priority=5), attempt(priority=-7), attempt(priority=0)])
    assert buffer.lowest_priority() == -7


def test_a_job_can_leave_the_line_wherever_it_stands() -> None:
    buffer = Buffer()
    buffer.put([attempt(job_id=number) for number in (1, 2, 3, 4)])
    removed = buffer.remove(3)
    assert removed is not None
    assert removed.claimed.job_id == 3
    assert buffer.remove(3) is None
    assert order(buffer) == [1, 2, 4]


def test_a_drain_takes_everything_and_a_look_takes_nothing() -> None:
    buffer = Buffer()
    buffer.put([attempt(job_id=1), attempt(job_id=2)])
    assert {one.claimed.job_id for one in buffer.waiting()} == {1, 2}
    assert len(buffer) == 2
    assert {one.claimed.job_id for one in buffer.drain()} == {1, 2}
    assert len(buffer) == 0
