"""The one writer of an executor: takes whatever has finished and writes it in a batch, with its own
connection.

It also stores what running attempts log, their progress and their start, about once a second. While
the database is away it keeps what it has and tries again; the fence decides then what still counts.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from datetime import UTC, datetime

from django.db import connection, transaction

from controlplane.events import log_event
from controlplane.loop import DATABASE_AWAY, RECONNECT_DELAYS, describe
from jobs import queue
from jobs.models import ExecutionLog, JobExecution
from jobs.queue import Start, Succeeded
from jobs.runtime.attempt import Attempt
from jobs.runtime.log_capture import Chunk
from jobs.settlement import Ending

#: Ends written in one transaction.
BATCH = 1000
#: While more work is on its way, completions are gathered for so long, seconds.
GATHER_SECONDS = 0.01
#: An attempt that lasts this long gets its start written, seconds.
START_AFTER = 0.25
#: Time between two looks at what running attempts logged, seconds.
SIDE_SECONDS = 0.5

type Finished = tuple[Attempt, Succeeded | Ending | None]


class Reporter(threading.Thread):
    """`finished` may be called from any thread; everything else happens in this one."""

    def __init__(
        self,
        *,
        worker_id: int,
        running: Callable[[], Iterable[Attempt]],
        clock_at: Callable[[float], float],
        reported: Callable[[list[Attempt]], None],
        busy: Callable[[], bool],
    ) -> None:
        super().__init__(name="reporter", daemon=True)
        self.worker_id = worker_id
        self._running = running
        self._clock_at = clock_at
        self._reported = reported
        self._busy = busy
        self._ends: list[Finished] = []
        self._lock = threading.Lock()
        self._something = threading.Event()
        self._closing = threading.Event()
        self._next_side = 0.0
        self._failures = 0
        #: What executions wrote, taken from their buffers and not stored yet.
        self._chunks: list[tuple[int, Chunk]] = []

    def finished(self, attempt: Attempt, end: Succeeded | Ending | None) -> None:
        """An attempt has ended; None when its completion is written already."""
        with self._lock:
            self._ends.append((attempt, end))
        if not self._something.is_set():  # setting it takes a lock that looking does not
            self._something.set()

    def close(self, timeout: float) -> bool:
        """Write what is left and end; False when the database did not take it in time."""
        self._closing.set()
        self._something.set()
        self.join(timeout)
        return not self.is_alive()

    def run(self) -> None:
        try:
            while not (self._closing.is_set() and not self._ends):
                self._something.wait(SIDE_SECONDS)
                self._something.clear()
                self._round()
        finally:
            connection.close()

    def _round(self) -> None:
        if self._ends and self._busy() and len(self._ends) < BATCH and not self._closing.is_set():
            self._closing.wait(GATHER_SECONDS)
        try:
            while self._ends:
                self._write_ends()
            if time.monotonic() >= self._next_side:
                self._write_sides()
                self._next_side = time.monotonic() + SIDE_SECONDS
            self._failures = 0
        except DATABASE_AWAY as error:
            self._again_later(error)
        except Exception as error:  # noqa: BLE001 - losing the writer would lose every result
            self._isolate(error)

    def _again_later(self, error: BaseException) -> None:
        connection.close()
        log_event("executor.report_failed", error=describe(error))
        self._closing.wait(RECONNECT_DELAYS[min(self._failures + 2, len(RECONNECT_DELAYS) - 1)])
        if self._closing.is_set():
            time.sleep(
                RECONNECT_DELAYS[1]
            )  # shutting down: no more waiting on the flag, but no spinning
        self._failures += 1
        self._something.set()

    def _isolate(self, error: BaseException) -> None:
        """A batch failed for another reason than the connection: write its ends one by one, drop
        the bad one.
        """
        connection.close()
        log_event("executor.report_failed", error=describe(error))
        self._chunks.clear()
        with self._lock:
            ends, self._ends = self._ends, []
        for end in ends:
            try:
                self._write([end])
            except DATABASE_AWAY:
                with self._lock:
                    self._ends.append(end)
                connection.close()
            except Exception as single:  # noqa: BLE001 - its lease runs out; the watchdog settles it
                log_event("executor.report_failed", error=describe(single))
                self._reported([end[0]])

    def _write_ends(self) -> None:
        with self._lock:
            batch = self._ends[:BATCH]
        self._write(batch)
        with self._lock:
            del self._ends[: len(batch)]

    def _write(self, batch: list[Finished]) -> None:
        succeeded = [end for _, end in batch if isinstance(end, Succeeded)]
        others = {a.claimed.execution_id: end for a, end in batch if isinstance(end, Ending)}
        attempts = [attempt for attempt, _ in batch]
        self._store_logs(attempts, closing=True)
        self._store_progress(attempts)
        late: list[int] = []
        with transaction.atomic() if succeeded and others else nullcontext():
            if succeeded:
                late += queue.report_succeeded(self.worker_id, succeeded)
            if others:
                late += queue.report_ended(self.worker_id, others)
        for attempt in attempts:
            claimed = attempt.claimed
            if claimed.execution_id in late:
                log_event(
                    "executor.late_result", job_id=claimed.job_id, execution_id=claimed.execution_id
                )
        self._reported(attempts)

    def _write_sides(self) -> None:
        running = list(self._running())
        if not running:
            return
        self._store_starts(running)
        self._store_logs(running, closing=False)
        self._store_progress(running)

    def _store_starts(self, running: list[Attempt]) -> None:
        before = time.monotonic() - START_AFTER
        begun = [a for a in running if a.started and a.started < before and not a.start_reported]
        if begun:
            queue.mark_started(self.worker_id, [self.start_of(attempt) for attempt in begun])
            for attempt in begun:
                attempt.start_reported = True

    def start_of(self, attempt: Attempt) -> Start:
        """The start of an attempt as the database keeps it."""
        claimed = attempt.claimed
        return Start(
            claimed.execution_id,
            claimed.job_id,
            claimed.task,
            claimed.number,
            self._clock_at(attempt.started),
            attempt.alone,
        )

    def _store_logs(self, attempts: list[Attempt], *, closing: bool) -> None:
        for attempt in attempts:
            if attempt.output is None:
                continue
            if closing:
                attempt.output.close()
            execution_id = attempt.claimed.execution_id
            self._chunks += [(execution_id, chunk) for chunk in attempt.output.take()]
        if not self._chunks:
            return
        with transaction.atomic():
            ExecutionLog.objects.bulk_create(
                [self._row(*chunk) for chunk in self._chunks], ignore_conflicts=True
            )
        self._chunks.clear()

    def _row(self, execution_id: int, chunk: Chunk) -> ExecutionLog:
        return ExecutionLog(
            execution_id=execution_id,
            sequence=chunk.sequence,
            stream=chunk.stream,
            written_at=datetime.fromtimestamp(self._clock_at(chunk.written_at_monotonic), tz=UTC),
            text=chunk.text,
        )

    def _store_progress(self, running: list[Attempt]) -> None:
        for attempt in running:
            progress, attempt.progress = attempt.progress, None
            if progress is None:
                continue
            JobExecution.objects.held_by(self.worker_id).filter(
                id=attempt.claimed.execution_id
            ).update(
                progress_done=progress.done,
                progress_total=progress.total,
                progress_message=progress.message,
            )
