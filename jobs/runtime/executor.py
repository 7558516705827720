"""The executor: claims jobs, runs them in threads and child processes, reports in batches.

The main thread claims and watches. Slots run attempts. One reporter writes. A keeper process holds
the leases. A listener wakes the main thread. Each rule has its home in the module of its name.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator

from django.db import connection

from controlplane import conf
from controlplane.events import log_event
from controlplane.listener import Listener
from controlplane.loop import Loop
from jobs import queue, recovery, registry
from jobs.models import Worker
from jobs.queue import CANCEL_CHANNEL, Claimed
from jobs.runtime import keeper, lanes, log_capture
from jobs.runtime.attempt import Attempt, handed_back
from jobs.runtime.clock import DatabaseClock
from jobs.runtime.ledger import Ledger
from jobs.runtime.reporter import Reporter
from jobs.runtime.sources import Sources
from jobs.sql import JOBS_CHANNEL
from jobs.workers import WorkerReport

#: Claimed work that no slot has touched for so long goes back to the queue, seconds: another may be
#: free.
HAND_BACK_SECONDS = 1.0
#: Promotions in one transaction.
PROMOTE_BATCH = 1000
#: How often `--once` looks whether all is done, seconds.
IDLE_LOOK_SECONDS = 0.05
#: The next due time is asked for at most so often, seconds.
DUE_SECONDS = 0.2


class Executor(Loop):
    name = "executor"

    def __init__(
        self,
        *,
        queues: Collection[str] = (),
        exclude: Collection[str] = (),
        threads: int | None = None,
        processes: int | None = None,
    ) -> None:
        """`queues`: names to serve, none for all; `exclude`: dotted paths of tasks to leave to
        others.
        """
        options = conf.options()
        self.options = options
        self.threads = threads or options.executor_threads
        self.processes = processes or options.executor_processes
        self.ledger = Ledger()
        self.clock = DatabaseClock()
        self.sources = Sources(queues, exclude)
        tasks = [path for path in registry.known_tasks() if path not in exclude]
        report = WorkerReport(
            Worker.Kind.EXECUTOR,
            queues=sorted(queues),
            tasks=tasks,
            slots=self.threads + self.processes,
        )
        super().__init__(
            tick_seconds=options.executor_tick_seconds,
            report=report,
            # The keeper reports: a busy interpreter must not look like a dead one.
            report_seconds=float("inf"),
        )
        self.lanes: tuple[lanes.Lane, ...] = ()
        self._due_at: float | None = None
        self._due_asked = float("-inf")
        #: Lanes whose last claim with room found nothing.
        self._dry: set[bool] = set()

    def setup(self) -> None:
        self.clock.compare()
        log_capture.install()
        connection.close()
        self.keeper = keeper.start(self.ledger, self.report)
        self.reporter = Reporter(
            worker_id=self.report.worker_id,
            running=self.running,
            clock_at=self.clock.at,
            reported=self._reported,
            busy=self._busy,
        )
        crew = lanes.Crew(
            worker_id=self.report.worker_id,
            clock=self.clock,
            ledger=self.ledger,
            reporter=self.reporter,
            foreign=self.sources.leave_to_others,
            wake=self.wake,
        )
        threads, children = (
            lanes.ThreadLane(self.threads, crew),
            lanes.ChildLane(self.processes, crew),
        )
        threads.reroute = children.add
        self.lanes = (threads, children)
        self.listener = Listener((JOBS_CHANNEL, CANCEL_CHANNEL), self._heard)
        self.reporter.start()
        self.listener.start()

    # one tick

    def tick(self) -> float | None:
        self.ledger.beat()
        self._check_keeper()
        for lane in self.lanes:  # before anything that the database may refuse
            lane.watch()
        for lane in self.lanes:
            self._claim(lane)
            if lane.buffer.waited() > HAND_BACK_SECONDS:
                self._hand_back(lane, "No slot became free in time.")
        self.clock.compare()
        self._look_for_cancels()
        return min([self._promote(), *(lane.next_look() for lane in self.lanes)])

    def _claim(self, lane: lanes.Lane) -> None:
        """Fill a lane; with a full buffer, look only for what must go before it."""
        room = min(lane.room(self.options), self.ledger.room)
        above = None
        if room <= 0:
            above = lane.buffer.lowest_priority()
            room = min(lane.size, self.ledger.room)
            if above is None or room <= 0 or not self.sources.news():
                self._dry.discard(lane.isolated)
                return
        if self.sources.is_dry(isolated=lane.isolated):
            return
        words, queues = self.sources.words, self.sources.queues()
        after = None if above is not None else lane.sweep.place(queues)
        if after is not None and self.sources.news():
            above = after.priority
        claimed = queue.claim(
            worker_id=self.report.worker_id,
            queues=queues,
            limit=room,
            isolated=lane.isolated,
            exclude=self.sources.excluded(),
            above_priority=above,
            after=after if above is None else None,
        )
        if claimed:
            lane.add([self._enter(c) for c in claimed])
        if above is None:
            lane.sweep.claimed(claimed, full=len(claimed) == room)
        if claimed or above is not None or after is not None:
            self._dry.discard(lane.isolated)
        elif self.sources.dry(isolated=lane.isolated, seconds=self.tick_seconds, words=words):
            self._dry.add(lane.isolated)
        else:
            self._dry.discard(lane.isolated)
            self.wake()

    def _enter(self, claimed: Claimed) -> Attempt:
        return Attempt(claimed=claimed, place=self.ledger.enter(claimed.execution_id))

    def _hand_back(self, lane: lanes.Lane, message: str) -> int:
        waiting = lane.buffer.drain()
        for attempt in waiting:
            self._give_back(attempt, message)
        return len(waiting)

    def _give_back(self, attempt: Attempt, message: str) -> None:
        if attempt.end():
            self.reporter.finished(attempt, handed_back(message, "handed_back"))

    def _promote(self) -> float:
        """Make due jobs claimable; return the seconds until the next one is due, infinite when none
        waits.
        """
        now = time.monotonic()
        if self._due_at is not None and now >= self._due_at:
            recovery.promote_due(PROMOTE_BATCH)
            self._due_at = None
        if now - self._due_asked >= (DUE_SECONDS if self._due_at is None else self.tick_seconds):
            self._due_asked = now
            wait = queue.seconds_to_next_due()
            self._due_at = float("inf") if wait is None else now + wait
        return DUE_SECONDS if self._due_at is None else max(0.0, self._due_at - now)

    def _look_for_cancels(self) -> None:
        """A backstop for lost notifications, while something runs."""
        if any(lane.slots.running or len(lane.buffer) for lane in self.lanes):
            self.sources.look_for_cancels(self.report.worker_id, self._cancel_executions)

    def _check_keeper(self) -> None:
        if not self.keeper.alive():
            log_event("executor.keeper_died")
            self.exit_code = 1
            self.stop("the keeper process died")

    # what other threads tell

    def _heard(self, channel: str, payload: str) -> None:
        if channel == CANCEL_CHANNEL and payload.isdigit():
            self._cancel_job(int(payload))
            return
        self.sources.heard(payload)
        self._due_at = None  # it may have been for a job whose time comes before all others'
        self.wake()

    def _cancel_job(self, job_id: int) -> None:
        for lane in self.lanes:
            waiting = lane.buffer.remove(job_id)
            if waiting is not None:
                self._give_back(waiting, "Cancelled before it began.")
        for attempt in self.running():
            if attempt.claimed.job_id == job_id:
                attempt.stop.set("cancel")

    def _cancel_executions(self, execution_ids: Collection[int]) -> None:
        wanted = set(execution_ids)
        held = [
            a for lane in self.lanes for a in (*lane.buffer.waiting(), *lane.slots.running.values())
        ]
        for attempt in held:
            if attempt.claimed.execution_id in wanted:
                self._cancel_job(attempt.claimed.job_id)

    def running(self) -> Iterator[Attempt]:
        """Attempts in slots now; a moment's picture."""
        for lane in self.lanes:
            yield from list(lane.slots.running.values())

    def _busy(self) -> bool:
        return any(len(lane.buffer) for lane in self.lanes)

    def _reported(self, attempts: list[Attempt]) -> None:
        for attempt in attempts:
            self.ledger.leave(attempt.place)
        if not self._busy():
            self.wake()

    # the end

    def teardown(self) -> None:
        """Stop claiming, hand back what has not begun, let the rest finish within the grace, then
        stop it.
        """
        if not self.lanes:
            return
        self.listener.stop()
        waiting = sum(
            self._hand_back(lane, "The executor is shutting down.") for lane in self.lanes
        )
        running = len(list(self.running()))
        if waiting or running:
            log_event("executor.draining", running=running, waiting=waiting)
        grace = time.monotonic() + self.options.shutdown_grace_seconds
        lanes.drain(self.lanes, grace, self.hurry.is_set)
        for lane in self.lanes:  # what one lane passed on to another meanwhile
            self._hand_back(lane, "The executor is shutting down.")
        try:
            if not self.reporter.close(timeout=self.options.lease_seconds):
                self.exit_code = 1
        finally:
            self.keeper.dismiss()

    def once(self) -> None:
        """Claim and run until nothing is claimable and nothing runs."""
        while not self.stopping.is_set():
            self.tick()
            if len(self._dry) == len(self.lanes) and not self._busy() and not list(self.running()):
                return
            self.pause(IDLE_LOOK_SECONDS)
