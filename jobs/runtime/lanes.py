"""A lane is a buffer and the slots that empty it: one for threads, one for child processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from django.db import connection

from controlplane import conf
from controlplane.conf import Options
from controlplane.events import log_event
from controlplane.loop import DATABASE_AWAY
from jobs import queue
from jobs.errors import TaskNotFound
from jobs.lifecycle import Outcome
from jobs.models import Worker
from jobs.queue import Succeeded
from jobs.runtime.attempt import (
    Attempt,
    Settled,
    broken,
    cut_short,
    find_task,
    handed_back,
    missing,
    run,
    timeout_of,
)
from jobs.runtime.buffer import Buffer
from jobs.runtime.children import ChildPool
from jobs.runtime.clock import DatabaseClock
from jobs.runtime.context import tracked
from jobs.runtime.ledger import Ledger
from jobs.runtime.reporter import Reporter
from jobs.runtime.slots import ThreadSlots
from jobs.runtime.sweep import Sweep
from jobs.settlement import Ending

#: Beyond its timeout and the grace, an attempt's lease is kept for so long, seconds: the time to
#: report it.
LEASE_MARGIN = 5.0
#: Beyond the grace, a task that stops has so long to end its processes and say so, seconds: it
#: sends SIGKILL only when the grace is over.
END_MARGIN = 2.5
#: How often running attempts are looked at while one has a deadline or is asked to stop, seconds.
WATCH_SECONDS = 0.2
#: The same while draining, seconds.
DRAIN_LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Crew:
    """What every lane works with."""

    worker_id: int
    clock: DatabaseClock
    ledger: Ledger
    reporter: Reporter
    foreign: Callable[[str], None]
    wake: Callable[[], None]


class Lane:
    """Takes claimed attempts, runs them in its slots, watches their time."""

    isolated = False

    def __init__(self, size: int, crew: Crew) -> None:
        self.size = size
        self.crew = crew
        self.buffer = Buffer()
        self.sweep = Sweep()
        self.slots = ThreadSlots(size, self.buffer, self._work)
        self.kill_grace = conf.options().kill_grace_seconds
        #: With no more than this waiting, the main thread should claim again.
        self.low_water = 0

    def room(self, options: Options) -> int:
        """How many more jobs to claim now."""
        return self.slots.free - len(self.buffer)

    def add(self, attempts: list[Attempt]) -> None:
        self.slots.ensure(len(self.slots.running) + len(self.buffer) + len(attempts))
        self.buffer.put(attempts)

    def next_look(self) -> float:
        """Seconds until `watch` has something to do; infinite when nothing has a deadline."""
        if len(self.buffer):
            return WATCH_SECONDS
        pending = [a for a in list(self.slots.running.values()) if a.deadline or a.stop.is_set()]
        return WATCH_SECONDS if pending else float("inf")

    def watch(self) -> None:
        """Ask attempts whose time is up to stop; give up on those that were asked and did not."""
        self.buffer.nudge()
        now = time.monotonic()
        for attempt in list(self.slots.running.values()):
            if attempt.deadline is not None and now >= attempt.deadline:
                attempt.stop.set("timeout")
            self._overstayed(attempt, now)

    def give_up(self) -> None:
        """Leave what still runs to itself; the end of this process ends it too."""
        for attempt in list(self.slots.running.values()):
            self.slots.abandon(attempt)
            self._report(attempt, self._cut(attempt, "shutdown"))

    def _overstayed(self, attempt: Attempt, now: float) -> None:
        """What to do with an attempt that may have been asked to stop long ago."""

    def _work(self, attempt: Attempt) -> None:
        """Run one attempt in this thread, to its end; whatever happens, the slot goes on."""
        try:
            self._attempt(attempt)
        except DATABASE_AWAY as error:
            connection.close()
            self._report(attempt, handed_back(f"The database was away: {error}", "database_away"))
        except Exception as error:  # noqa: BLE001 - a fault of ours must not take the slot with it
            self._report(attempt, broken(error))

    def _attempt(self, attempt: Attempt) -> None:
        try:
            task = find_task(attempt.claimed)
        except TaskNotFound as error:
            self._without_task(attempt, error)
            return
        if self._elsewhere(attempt, task):
            return
        self._report(attempt, self._run(attempt, task))

    def _elsewhere(self, attempt: Attempt, task: Any) -> bool:
        """Whether the attempt was passed on to another lane."""
        return False

    def _run(self, attempt: Attempt, task: Any) -> Succeeded | Ending | None:
        raise NotImplementedError

    def _begin(self, attempt: Attempt, task: Any) -> None:
        """Its time starts now; the ledger knows so before its first line runs."""
        limit = timeout_of(attempt.claimed, task)
        attempt.started = time.monotonic()
        hard = 0.0
        if limit is not None:
            attempt.deadline = attempt.started + limit
            hard = attempt.deadline + self.kill_grace + LEASE_MARGIN
        self.crew.ledger.start(
            attempt.place, attempt.claimed.execution_id, deadline=hard, alone=attempt.alone
        )
        attempt.tracker = self._tracker

    def _tracker(self, pgid: int) -> AbstractContextManager[None]:
        ledger = self.crew.ledger
        return tracked(ledger.track_group, ledger.untrack_group, pgid)

    def _without_task(self, attempt: Attempt, error: TaskNotFound) -> None:
        """Leave it to an executor that knows the task; without one the job cannot run at all."""
        claimed = attempt.claimed
        if Worker.objects.live().knowing(claimed.task).exclude(id=self.crew.worker_id).exists():
            self.crew.foreign(claimed.task)
            self._report(attempt, handed_back("Another executor knows this task.", "unknown_task"))
        else:
            log_event("executor.missing_task", job_id=claimed.job_id, task=claimed.task)
            self._report(attempt, missing(error))

    def _report(self, attempt: Attempt, end: Succeeded | Ending | None) -> None:
        if not attempt.end():
            return
        if isinstance(end, Ending) and end.charged:
            log_event(
                "executor.attempt_failed",
                job_id=attempt.claimed.job_id,
                task=attempt.claimed.task,
                attempt=attempt.claimed.number,
                outcome=end.outcome,
                error_class=end.error_class or end.error_code,
                message=end.error_message.partition("\n")[0][:200],
            )
        self.crew.reporter.finished(attempt, end)
        if len(self.buffer) <= self.low_water:
            self.crew.wake()

    def _cut(self, attempt: Attempt, reason: str) -> Ending:
        outcome = {"timeout": Outcome.TIMED_OUT, "shutdown": Outcome.INTERRUPTED}.get(
            reason, Outcome.CANCELLED
        )
        message = "It did not stop when asked to; its thread was abandoned."
        return cut_short(attempt, self.crew.clock, outcome=outcome, code=reason, message=message)


class ThreadLane(Lane):
    """Tasks with isolation="thread"."""

    def __init__(self, size: int, crew: Crew) -> None:
        super().__init__(size, crew)
        self.reroute: Callable[[list[Attempt]], None] = self.add
        self._window = size

    def room(self, options: Options) -> int:
        """Free slots, and as much ahead as they will start within the prefetch time, growing by
        doubling.
        """
        per_slot = options.prefetch_seconds / max(self._typical(), 1e-6)
        ahead = min(
            int(per_slot * self.size), max(self.size, 2 * self._window), options.claim_batch
        )
        waiting = len(self.buffer)
        self.low_water = ahead // 2
        if waiting > self.low_water:
            return 0
        self._window = ahead
        return min(self.slots.free + ahead - waiting, options.claim_batch)

    def _typical(self) -> float:
        """How long an attempt will take, as the last ones and those that run now tell."""
        typical = self.buffer.typical_seconds
        if self.slots.free:
            return typical
        now = time.monotonic()
        youngest = max((a.started for a in list(self.slots.running.values())), default=now)
        return max(typical, now - youngest)

    def _elsewhere(self, attempt: Attempt, task: Any) -> bool:
        isolated = getattr(task, "isolation", "thread") == "process" or attempt.claimed.suspect
        if isolated:  # enqueued when the task did not ask for a process yet
            self.reroute([attempt])
        return isolated

    def _run(self, attempt: Attempt, task: Any) -> Succeeded | Ending | None:
        self._begin(attempt, task)
        try:
            return run(attempt, task, worker_id=self.crew.worker_id, clock=self.crew.clock)
        except Settled:
            return None

    def _overstayed(self, attempt: Attempt, now: float) -> None:
        if attempt.stop.reason == "shutdown":  # the drain has its own time for that
            return
        if now - attempt.stop.since > self.kill_grace + END_MARGIN:
            self.slots.abandon(attempt)
            log_event("executor.abandoned_thread", job_id=attempt.claimed.job_id)
            self._report(attempt, self._cut(attempt, attempt.stop.reason))


class ChildLane(Lane):
    """Tasks with isolation="process", and suspects."""

    isolated = True

    def __init__(self, size: int, crew: Crew) -> None:
        super().__init__(size, crew)
        self.pool = ChildPool(crew.ledger)

    def give_up(self) -> None:
        super().give_up()
        self.pool.close()

    def _run(self, attempt: Attempt, task: Any) -> Succeeded | Ending | None:
        attempt.alone = True
        with self.pool.child(attempt.stop) as child:
            self._begin(attempt, task)
            # Proof of the start, before it starts: should the machine die with it, it is known to
            # be at fault.
            queue.mark_started(self.crew.worker_id, [self.crew.reporter.start_of(attempt)])
            attempt.start_reported = True
            return child.run(attempt, worker_id=self.crew.worker_id, clock=self.crew.clock)


def drain(lanes: Sequence[Lane], until: float, hurry: Callable[[], bool]) -> None:
    """Let running attempts finish until then, ask the rest to stop, give up on those that do not.

    `hurry` turning true ends all waiting.
    """
    for lane in lanes:
        lane.slots.close()
    _wait_for_slots(lanes, until, hurry)
    for lane in lanes:
        for attempt in list(lane.slots.running.values()):
            attempt.stop.set("shutdown")
    grace = max(lane.kill_grace for lane in lanes)
    _wait_for_slots(lanes, time.monotonic() + grace + LEASE_MARGIN, hurry)
    for lane in lanes:
        lane.give_up()


def _wait_for_slots(lanes: Sequence[Lane], until: float, hurry: Callable[[], bool]) -> None:
    while time.monotonic() < until and not hurry():
        for lane in lanes:
            lane.watch()
        busy = [lane for lane in lanes if lane.slots.running]
        if not busy:
            return
        busy[0].slots.wait_for_end(min(DRAIN_LOOK_SECONDS, max(0.0, until - time.monotonic())))
