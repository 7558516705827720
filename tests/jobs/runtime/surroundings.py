"""What a lane works with, for tests of lanes and of the executor."""

import threading
from typing import Any

from jobs.runtime.attempt import Attempt
from jobs.runtime.lanes import Crew
from jobs.runtime.ledger import Ledger
from tests.jobs.runtime.attempts import CLOCK, FakeReporter, attempt
from tests.waiting import wait_until

#: Seconds between SIGTERM and SIGKILL in these tests.
KILL_GRACE = 0.2


class Surroundings:
    """What a lane works with, kept to be looked at."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.reporter = FakeReporter()
        self.foreign: list[str] = []
        self.woken = 0
        self.hurry = threading.Event()

    def wake(self) -> None:
        self.woken += 1

    def crew(self, worker_id: int = 7) -> Crew:
        return Crew(
            worker_id=worker_id,
            clock=CLOCK,
            ledger=self.ledger,
            reporter=self.reporter,  # type: ignore[arg-type]  # it only keeps what it is told
            foreign=self.foreign.append,
            wake=self.wake,
        )

    def attempt(self, task: str = "noop", *args: Any, **fields: Any) -> Attempt:
        """An attempt that the ledger knows of."""
        one = attempt(task, *args, **fields)
        one.place = self.ledger.enter(one.claimed.execution_id)
        return one

    def end_of(self, one: Attempt) -> Any:
        return wait_until(self.reporter.end_of(one), what="an end")
