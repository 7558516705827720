"""The keeper renews what should be renewed, doubts an executor that stands still, recovers."""

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from django.db import OperationalError
from django.db.models.functions import Now
from pytest_django import Settings

from jobs import recovery
from jobs.lifecycle import Outcome, Status
from jobs.models import JobExecution, Worker
from jobs.runtime import keeper as keeper_module
from jobs.runtime.keeper import GOODBYE, KeeperHandle, _Doubt, _Keeper
from jobs.runtime.ledger import Ledger
from jobs.workers import WorkerReport
from tests.factories import make_jobs, make_worker
from tests.jobs.reading import claim, fresh, seconds_from_now, states
from tests.waiting import wait_until


@pytest.fixture
def process() -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts processes that wait, each in a session of its own."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen(["sleep", "600"], start_new_session=True))
        return started[-1]

    yield start
    for one in started:
        one.kill()
        one.wait()


class Clock:
    """The keeper's monotonic clock, set by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        fake = SimpleNamespace(monotonic=lambda: self.now, sleep=self._sleep)
        monkeypatch.setattr(keeper_module, "time", fake)

    def _sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


class TestDoubt:
    """Whether the executor can still be trusted to be at work."""

    LEASE, HANG = 20.0, 600.0

    def doubt(self, pid: int, ledger: Ledger | None = None) -> _Doubt:
        return _Doubt(pid, ledger or Ledger(), self.LEASE, self.HANG)

    def test_there_is_none_while_its_loop_moves(self, clock: Clock) -> None:
        ledger = Ledger()
        doubt = self.doubt(os.getpid(), ledger)
        for _ in range(20):
            clock.now += 50
            ledger.beat()
            assert doubt.reason() == ""

    def test_a_stopped_process_is_doubted_at_once_until_it_goes_on(
        self, process: Callable[[], subprocess.Popen[bytes]]
    ) -> None:
        executor = process()
        doubt = self.doubt(executor.pid)
        assert doubt.reason() == ""
        executor.send_signal(signal.SIGSTOP)
        wait_until(lambda: doubt.reason() == "the executor is stopped", what="doubt")
        executor.send_signal(signal.SIGCONT)
        wait_until(lambda: doubt.reason() == "", what="trust")

    def test_a_loop_that_stands_still_without_working_is_hung(
        self, clock: Clock, process: Callable[[], subprocess.Popen[bytes]]
    ) -> None:
        doubt = self.doubt(process().pid)
        clock.now += 3 * self.LEASE
        assert doubt.reason() == ""
        clock.now += 0.1
        assert "uses no processor time" in doubt.reason()

    def test_a_busy_interpreter_may_stand_still_for_longer(
        self, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        used = [0]
        monkeypatch.setattr(_Doubt, "_processor_time", lambda self: used[0])
        doubt = self.doubt(os.getpid())
        for _ in range(int(self.HANG // 20)):
            clock.now += 20
            used[0] += 1
            assert doubt.reason() == ""
        clock.now += 0.1
        used[0] += 1
        assert doubt.reason() == "the executor's loop has stood still for 600 s"

    def test_where_there_is_no_proc_the_heartbeat_must_do(self, clock: Clock) -> None:
        doubt = self.doubt(2**22 + 7)  # beyond the largest process id
        assert doubt.reason() == ""
        clock.now += 3 * self.LEASE + 1
        assert doubt.reason() != ""


@pytest.fixture
def keeper(worker: Worker) -> Iterator[_Keeper]:
    """A keeper in this process that keeps for `worker`; nothing runs yet."""
    report = WorkerReport(Worker.Kind.EXECUTOR)
    report.worker_id = worker.pk
    ours, theirs = socket.socketpair()
    yield _Keeper(os.getpid(), Ledger(), report, theirs)
    ours.close()
    theirs.close()


def held(worker: Worker, count: int) -> list[JobExecution]:
    """Executions of this worker whose leases end in a second."""
    make_jobs(count)
    ids = [one.execution_id for one in claim(worker.pk, limit=count)]
    JobExecution.objects.update(lease_expires_at=Now() + timedelta(seconds=1))
    return list(JobExecution.objects.filter(pk__in=ids).order_by("pk"))


def is_renewed(execution: JobExecution) -> bool:
    return seconds_from_now(fresh(execution).lease_expires_at) > 10


def test_it_renews_what_the_ledger_holds(keeper: _Keeper, worker: Worker) -> None:
    known, unknown = held(worker, 2)
    keeper.ledger.enter(known.pk)
    keeper._renew()
    assert (is_renewed(known), is_renewed(unknown)) == (True, False)


def test_it_does_not_renew_an_attempt_past_its_hard_deadline(
    keeper: _Keeper, worker: Worker, clock: Clock
) -> None:
    timely, overdue = held(worker, 2)
    for execution, deadline in ((timely, clock.now + 1), (overdue, clock.now - 1)):
        place = keeper.ledger.enter(execution.pk)
        keeper.ledger.start(place, execution.pk, deadline=deadline, alone=False)
    keeper._renew()
    assert (is_renewed(timely), is_renewed(overdue)) == (True, False)


def test_it_renews_nothing_of_an_executor_in_doubt_and_says_so_once(
    keeper: _Keeper,
    worker: Worker,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (execution,) = held(worker, 1)
    keeper.ledger.enter(execution.pk)
    reasons = ["the executor is stopped"] * 3 + [""]
    monkeypatch.setattr(keeper.doubt, "reason", lambda: reasons.pop(0))
    reported = fresh(worker).reported_at
    keeper._renew()
    keeper._renew()
    keeper._refresh()
    assert not is_renewed(execution)
    assert fresh(worker).reported_at == reported, "and it counts as silent"
    assert len(caplog.messages) == 1
    keeper._renew()
    assert is_renewed(execution)


def test_it_reports_the_executor_as_alive(keeper: _Keeper, worker: Worker) -> None:
    before = worker.reported_at
    keeper._refresh()
    assert fresh(worker).reported_at >= before


def test_it_counts_a_step_as_undone_while_the_database_is_away(
    keeper: _Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    fake = SimpleNamespace(close_all=lambda: closed.append("all"))
    monkeypatch.setattr(keeper_module, "connections", fake)

    def fail() -> None:
        raise OperationalError("gone")

    assert not keeper._try(fail)
    assert closed == ["all"]
    assert keeper._try(lambda: None)


class TestExecutorGone:
    """What is left of a dead executor is ended, charged or handed back."""

    def test_every_process_group_it_tracked_is_killed(
        self, keeper: _Keeper, process: Callable[[], subprocess.Popen[bytes]]
    ) -> None:
        tracked, untracked = process(), process()
        keeper.ledger.track_group(tracked.pid)
        keeper._executor_gone()
        assert tracked.wait(10) == -signal.SIGKILL
        assert untracked.poll() is None

    def test_what_had_begun_is_charged_and_the_rest_handed_back(
        self, keeper: _Keeper, worker: Worker
    ) -> None:
        begun, alone, waiting = held(worker, 3)
        for execution, runs_alone in ((begun, False), (alone, True)):
            place = keeper.ledger.enter(execution.pk)
            keeper.ledger.start(place, execution.pk, deadline=0.0, alone=runs_alone)
        keeper.ledger.enter(waiting.pk)
        keeper._executor_gone()
        ends = [(one.status, one.charged, one.alone) for one in map(fresh, (begun, alone, waiting))]
        assert ends == [
            (Outcome.INTERRUPTED, True, False),
            (Outcome.INTERRUPTED, True, True),
            (Outcome.INTERRUPTED, False, False),
        ]
        assert states(waiting.job_id)[0] == Status.PENDING
        assert states(begun.job_id)[0] == Status.FAILED
        assert fresh(worker).stopped_at is not None

    def test_it_tries_until_the_leases_have_run_out_anyway(
        self, keeper: _Keeper, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tries: list[float] = []

        def fail(*_: Any, **__: Any) -> None:
            tries.append(clock.now)
            raise OperationalError("gone")

        monkeypatch.setattr(recovery, "recover", fail)
        monkeypatch.setattr(keeper_module, "connections", SimpleNamespace(close_all=lambda: None))
        began = clock.now
        keeper._executor_gone()
        assert len(tries) > 10
        assert clock.now - began == pytest.approx(keeper.options.lease_seconds, abs=1)


class TestRun:
    """The keeper's own loop."""

    @pytest.fixture(autouse=True)
    def _signals(self, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[None]:
        settings.CONTROL_PLANE = settings.CONTROL_PLANE | {
            "lease_seconds": 0.3,
            "lease_renewal_seconds": 0.05,
            "worker_report_seconds": 0.05,
        }
        monkeypatch.setattr(keeper_module, "connections", SimpleNamespace(close_all=lambda: None))
        numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        before = {number: signal.getsignal(number) for number in numbers}
        yield
        for number, handler in before.items():
            signal.signal(number, handler)

    @pytest.fixture
    def ours(self) -> Iterator[socket.socket]:
        """The executor's end of the line."""
        ours, self.theirs = socket.socketpair()
        yield ours
        ours.close()
        self.theirs.close()

    @pytest.fixture
    def recovered(self, ours: socket.socket, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Filled when the keeper takes the executor for dead."""
        found: list[str] = []
        report = SimpleNamespace(worker_id=1, refresh=lambda: None, stop=lambda: None, start=None)
        self.keeper = _Keeper(os.getppid(), Ledger(), report, self.theirs)
        monkeypatch.setattr(self.keeper, "_executor_gone", lambda: found.append("recovered"))
        return found

    def test_a_goodbye_ends_it_and_nothing_is_recovered(
        self, ours: socket.socket, recovered: list[str]
    ) -> None:
        ours.sendall(GOODBYE)
        self.keeper.run()
        assert recovered == []

    def test_the_end_of_the_line_is_the_end_of_the_executor(
        self, ours: socket.socket, recovered: list[str]
    ) -> None:
        ours.close()
        self.keeper.run()
        assert recovered == ["recovered"]

    def test_another_parent_tells_it_too_though_a_fork_holds_the_line_open(
        self, recovered: list[str]
    ) -> None:
        self.keeper.executor = os.getppid() + 1
        self.keeper.run()
        assert recovered == ["recovered"]

    def test_it_renews_and_reports_at_their_times_and_again_after_a_failure(
        self, ours: socket.socket, recovered: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        steps: list[str] = []

        def renew() -> None:
            steps.append("renew")
            if len(steps) < 3:
                raise OperationalError("gone")
            if steps.count("renew") > 4 and "refresh" in steps:
                ours.sendall(GOODBYE)

        monkeypatch.setattr(self.keeper, "_renew", renew)
        monkeypatch.setattr(self.keeper, "_refresh", lambda: steps.append("refresh"))
        self.keeper.run()
        assert steps.count("renew") > 4
        assert recovered == []

    def test_signals_for_the_whole_group_are_the_executors_affair(
        self, ours: socket.socket, recovered: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted() -> None:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                os.kill(os.getpid(), number)
            ours.sendall(GOODBYE)

        monkeypatch.setattr(self.keeper, "_renew", interrupted)
        self.keeper.run()
        assert recovered == []


class TestHandle:
    """The executor's side. A program stands in for the keeper: it ends at the first byte."""

    @pytest.fixture
    def handle(self) -> Iterator[KeeperHandle]:
        ours, theirs = socket.socketpair()
        pid = os.posix_spawnp(
            "head",
            ["head", "-c1"],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
                (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
            ],
        )
        theirs.close()
        handle = KeeperHandle(pid, ours)
        yield handle
        handle.dismiss()

    def test_a_keeper_that_died_is_noticed(self, handle: KeeperHandle) -> None:
        assert handle.alive()
        os.kill(handle.pid, signal.SIGKILL)
        wait_until(lambda: not handle.alive(), what="a dead keeper")
        assert not handle.alive(), "asked again, it is still dead"

    def test_a_goodbye_ends_it_and_leaves_no_zombie(self, handle: KeeperHandle) -> None:
        handle.dismiss()
        assert not psutil.pid_exists(handle.pid)

    def test_a_goodbye_to_a_dead_one_does_no_harm(self, handle: KeeperHandle) -> None:
        os.kill(handle.pid, signal.SIGKILL)
        wait_until(lambda: not handle.alive(), what="a dead keeper")
        handle.dismiss()


def test_a_worker_of_another_host_keeps_its_own(keeper: _Keeper) -> None:
    other = make_worker()
    (execution,) = held(other, 1)
    keeper.ledger.enter(execution.pk)
    keeper._renew()
    assert not is_renewed(execution)
