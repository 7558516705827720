"""The threads of an executor: as many as needed, replaced when abandoned, gone when closed."""

import threading
from collections.abc import Callable, Iterator

import pytest
from django.db import connections

from jobs.runtime import slots as slots_module
from jobs.runtime.attempt import Attempt
from jobs.runtime.buffer import Buffer
from jobs.runtime.slots import ThreadSlots
from tests.jobs.runtime.attempts import attempt
from tests.waiting import wait_until


class Work:
    """Holds each attempt until it may end."""

    def __init__(self) -> None:
        self.begun: list[Attempt] = []
        self.may_end = threading.Event()

    def __call__(self, attempt: Attempt) -> None:
        self.begun.append(attempt)
        assert self.may_end.wait(20)


@pytest.fixture
def work() -> Iterator[Work]:
    work = Work()
    yield work
    work.may_end.set()


@pytest.fixture
def buffer() -> Buffer:
    return Buffer()


@pytest.fixture
def slots(buffer: Buffer, work: Work, monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadSlots]:
    monkeypatch.setattr(slots_module, "IDLE_SECONDS", 0.02)
    slots = ThreadSlots(2, buffer, work)
    yield slots
    work.may_end.set()
    slots.close()
    wait_until(lambda: slots._alive == 0, what="the end of all slots")


def fill(slots: ThreadSlots, buffer: Buffer, work: Work, count: int) -> list[Attempt]:
    """Give work, and wait until as much of it as there are slots has begun."""
    attempts = [attempt() for _ in range(count)]
    slots.ensure(count)
    buffer.put(attempts)
    begun = len(work.begun) + min(count, slots.size)
    wait_until(lambda: len(work.begun) == begun, what="attempts that have begun")
    return attempts


def test_threads_start_as_needed_up_to_the_size(
    slots: ThreadSlots, buffer: Buffer, work: Work
) -> None:
    slots.ensure(0)
    assert (slots._alive, slots.free) == (0, 2)
    slots.ensure(1)
    slots.ensure(1)
    assert slots._alive == 1
    fill(slots, buffer, work, 5)
    assert (slots._alive, slots.free, len(slots.running), len(buffer)) == (2, 0, 2, 3)


def test_what_has_ended_runs_no_more_and_its_slot_goes_on(
    slots: ThreadSlots, buffer: Buffer, work: Work
) -> None:
    fill(slots, buffer, work, 5)
    work.may_end.set()
    wait_until(lambda: len(work.begun) == 5 and not slots.running, what="all five")
    assert (slots.free, slots._started) == (2, 2)
    assert buffer.typical_seconds < 20


def test_an_abandoned_thread_frees_its_slot_for_another(
    slots: ThreadSlots, buffer: Buffer, work: Work
) -> None:
    first, second = fill(slots, buffer, work, 2)
    slots.abandon(first)
    assert (first.abandoned, second.abandoned) == (True, False)
    assert (slots.free, slots._alive) == (1, 1)
    third = attempt()
    slots.ensure(2)
    buffer.put([third])
    wait_until(lambda: work.begun[-1] is third, what="the third one in the new thread")
    assert set(slots.running) == {second.claimed.execution_id, third.claimed.execution_id}


def test_an_abandoned_thread_takes_no_more_work(
    slots: ThreadSlots, buffer: Buffer, work: Work
) -> None:
    (first,) = fill(slots, buffer, work, 1)
    slots.abandon(first)
    threads = {thread.name for thread in threading.enumerate()}
    assert "slot-1" in threads
    work.may_end.set()
    wait_until(
        lambda: "slot-1" not in {thread.name for thread in threading.enumerate()},
        what="the end of the abandoned thread",
    )
    assert slots._alive == 0


def test_an_attempt_is_abandoned_once_and_only_while_it_runs(
    slots: ThreadSlots, buffer: Buffer, work: Work
) -> None:
    (first,) = fill(slots, buffer, work, 1)
    slots.abandon(first)
    slots.abandon(first)
    assert slots._alive == 0
    stranger = attempt()
    slots.abandon(stranger)
    assert not stranger.abandoned
    assert slots._alive == 0


def test_a_close_ends_idle_threads_and_lets_others_finish(
    slots: ThreadSlots, buffer: Buffer, work: Work
) -> None:
    fill(slots, buffer, work, 1)
    slots.ensure(2)
    slots.close()
    wait_until(lambda: slots._alive == 1, what="the end of the idle one")
    assert len(slots.running) == 1
    work.may_end.set()
    wait_until(lambda: slots._alive == 0, what="the end of the other")
    assert not slots.running


def test_whoever_waits_for_an_end_hears_of_it(
    slots: ThreadSlots, buffer: Buffer, work: Work
) -> None:
    fill(slots, buffer, work, 1)
    slots.close()
    slots.wait_for_end(0.001)
    assert slots.running
    waiter = threading.Thread(target=slots.wait_for_end, args=(20.0,))
    slots._ended.set()  # of an earlier end; cleared by who waits for the next
    waiter.start()
    wait_until(lambda: not slots._ended.is_set(), what="a waiter")
    work.may_end.set()
    waiter.join(5)
    assert not waiter.is_alive()


def test_connections_are_closed_at_the_end_of_a_thread(
    slots: ThreadSlots, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    note: Callable[[], None] = lambda: closed.append(threading.current_thread().name)  # noqa: E731
    monkeypatch.setattr(connections, "close_all", note)
    slots.ensure(1)
    slots.close()
    wait_until(lambda: closed == ["slot-1"], what="closed connections")
