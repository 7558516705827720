"""Real child processes for tests, started from a fork server as the executor starts them."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_django import Settings

from jobs.queue import Succeeded
from jobs.runtime.attempt import Attempt
from jobs.runtime.children import Child
from jobs.runtime.lanes import ThreadLane
from jobs.runtime.ledger import Ledger
from jobs.settlement import Ending
from tests.jobs.runtime.attempts import CLOCK
from tests.jobs.runtime.surroundings import KILL_GRACE, Surroundings
from tests.waiting import wait_until


class Running:
    """An attempt on its way through a child, fed by a thread as a slot would."""

    def __init__(self, child: Child, attempt: Attempt) -> None:
        self.attempt = attempt
        self._results: list[Succeeded | Ending | None] = []
        self._thread = threading.Thread(target=self._run, args=(child,), daemon=True)
        self._thread.start()

    def _run(self, child: Child) -> None:
        self.attempt.started = time.monotonic()
        self._results.append(child.run(self.attempt, worker_id=7, clock=CLOCK))

    def end(self) -> Any:
        wait_until(lambda: self._results, what="the end of an attempt in a child")
        self._thread.join(5)
        return self._results[0]


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def child(ledger: Ledger, settings: Settings) -> Iterator[Child]:
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"kill_grace_seconds": 0.3}
    child = Child(ledger)
    yield child
    child.close()


@pytest.fixture
def begin(child: Child) -> Callable[[Attempt], Running]:
    return lambda attempt: Running(child, attempt)


@pytest.fixture
def around() -> Surroundings:
    return Surroundings()


@pytest.fixture
def lane(around: Surroundings, settings: Settings) -> Iterator[ThreadLane]:
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {"kill_grace_seconds": KILL_GRACE}
    lane = ThreadLane(2, around.crew())
    yield lane
    lane.slots.close()
