"""The scheduler process: sleeps until the next due time, or until told that a schedule changed."""

from controlplane import conf
from controlplane.listener import Listener
from controlplane.loop import Loop
from jobs.models import Worker
from jobs.workers import WorkerReport
from scheduling.materialise import fire_due, seconds_to_next_due
from scheduling.normalise import normalise
from scheduling.wakeup import CHANNEL

#: Least pause between two ticks, seconds, while another scheduler holds the due rows.
LEAST_PAUSE = 0.02


class SchedulerLoop(Loop):
    """Any number may run on any number of machines."""

    name = "scheduler"

    def __init__(self) -> None:
        options = conf.options()
        super().__init__(
            tick_seconds=options.scheduler_tick_seconds,
            report=WorkerReport(Worker.Kind.SCHEDULER),
            report_seconds=options.worker_report_seconds,
        )
        self.batch = options.scheduler_batch
        self._listener: Listener | None = None

    def setup(self) -> None:
        normalise()
        self._listener = Listener([CHANNEL], lambda channel, payload: self.wake())
        self._listener.start()

    def tick(self) -> float | None:
        """Fire what is due, batch by batch; return the seconds until the next due time."""
        while fire_due(self.batch) == self.batch and not self.stopping.is_set():
            continue
        wait = seconds_to_next_due()
        return None if wait is None else max(wait, LEAST_PAUSE)

    def teardown(self) -> None:
        if self._listener is not None:
            self._listener.stop()
