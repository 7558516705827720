"""What a running task can see and say."""

import dataclasses
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from jobs.runtime.context import (
    JobContext,
    Progress,
    StopSignal,
    detached_context,
    task_result,
    tracked,
)
from jobs.runtime.log_capture import current_log, install
from tests.sample_app import tasks


@pytest.fixture
def context() -> JobContext:
    return detached_context(tasks.identify)


def test_the_first_reason_to_stop_stands() -> None:
    stop = StopSignal()
    assert (stop.is_set(), stop.reason, stop.since) == (False, "", float("inf"))
    stop.set("timeout")
    since = stop.since
    stop.set("shutdown")
    assert (stop.is_set(), stop.reason, stop.since) == (True, "timeout", since)


def test_a_task_may_wait_for_its_stop() -> None:
    stop = StopSignal()
    assert not stop.wait(0.001)
    waiter = threading.Thread(target=stop.wait, args=(20.0,))
    waiter.start()
    stop.set("cancel")
    waiter.join(5)
    assert not waiter.is_alive()
    assert stop.wait(0.0)


def test_the_context_tells_whether_and_why_to_stop(context: JobContext) -> None:
    assert (context.cancelled, context.stop_reason) == (False, "")
    context.stop_requested.set("shutdown")
    assert (context.cancelled, context.stop_reason) == (True, "shutdown")


def test_the_attempt_is_its_number(context: JobContext) -> None:
    assert context.attempt == 1
    assert dataclasses.replace(context, number=3).attempt == 3


def test_progress_is_passed_on_as_numbers_and_short_text() -> None:
    told: list[Progress] = []
    context = detached_context(tasks.identify, report_progress=told.append)
    context.progress(1)
    context.progress(2, 4, "nul \x00")
    context.progress(3, 4, "x" * 300)
    assert told[:2] == [Progress(1.0, None, ""), Progress(2.0, 4.0, "nul \\x00")]
    assert len(told[2].message) == 255


@pytest.mark.parametrize(("done", "total"), [(float("nan"), None), (1, float("inf"))])
def test_progress_without_end_is_refused(
    context: JobContext, done: float, total: float | None
) -> None:
    with pytest.raises(ValueError, match="finite"):
        context.progress(done, total)


def test_a_detached_context_collects_its_output(context: JobContext) -> None:
    install()
    token = current_log.set(context.output)
    try:
        context.log("said %s", level=logging.WARNING)
    finally:
        current_log.reset(token)
    context.write_output("stderr", b"printed\n")
    written = [(chunk.stream, chunk.text) for chunk in context.output.take()]
    assert written == [("log", "WARNING controlplane.task: said %s\n"), ("stderr", "printed\n")]


def test_a_process_group_is_registered_while_it_is_tracked() -> None:
    seen: list[str] = []

    @contextmanager
    def tracker(pgid: int) -> Iterator[None]:
        seen.append(f"in {pgid}")
        yield
        seen.append("out")

    with detached_context(tasks.identify, tracker=tracker).track_process_group(77):
        assert seen == ["in 77"]
    assert seen == ["in 77", "out"]


def test_a_group_leaves_its_place_also_after_an_error() -> None:
    left: list[int] = []
    with pytest.raises(ValueError, match="inside"), tracked(lambda pgid: pgid + 1, left.append, 7):
        raise ValueError("inside")
    assert left == [8]


def test_djangos_view_of_the_attempt(context: JobContext) -> None:
    result = context.task_result
    assert (result.id, result.status, result.task) == ("0", "RUNNING", tasks.identify)
    assert result.worker_ids == ["0"]
    again = task_result(
        tasks.add,
        job_id=5,
        args=[1],
        kwargs={"b": 2},
        started=result.started_at,  # type: ignore[arg-type]  # it has begun
        worker_id=3,
    )
    assert (again.id, again.args, again.kwargs, again.worker_ids) == ("5", [1], {"b": 2}, ["3"])
    assert again.attempts == 1
