import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from jobs.runtime import process_tree
from jobs.runtime.process_tree import descendants, kill_group, kill_tree, terminate_tree
from tests.waiting import wait_until

Start = Callable[..., "subprocess.Popen[bytes]"]


def alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat[stat.rindex(")") + 2] not in "ZX"


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts shell lines in sessions of their own; kills what a failing test leaves."""
    started: list[subprocess.Popen[bytes]] = []

    def run(line: str, **environment: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            ["/bin/sh", "-c", line],
            start_new_session=True,
            env={"PATH": os.environ["PATH"], **environment},
        )
        started.append(process)
        return process

    yield run
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def pids_in(folder: Path, *names: str) -> list[int]:
    """The process ids that shell lines wrote into files, once they are all there."""
    wait_until(
        lambda: all((folder / n).exists() and (folder / n).read_text().strip() for n in names)
    )
    return [int((folder / name).read_text()) for name in names]


def test_descendants_finds_grandchildren_that_left_the_session(
    tmp_path: Path, start: Start
) -> None:
    line = (
        f"setsid sh -c 'echo $$ > {tmp_path}/far; sleep 60 & wait' &"
        f" sleep 60 & echo $! > {tmp_path}/near; wait"
    )
    root = start(line)
    far, near = pids_in(tmp_path, "far", "near")
    wait_until(lambda: len(descendants(root.pid)) == 3)
    assert {far, near} < set(descendants(root.pid))
    assert root.pid not in descendants(root.pid)
    assert os.getsid(far) != root.pid
    assert terminate_tree(root.pid, grace_seconds=5) == []
    assert not alive(far)
    assert not alive(near)


def test_a_polite_tree_ends_by_sigterm_before_the_grace_is_over(
    tmp_path: Path, start: Start
) -> None:
    root = start(
        f"trap 'echo bye > {tmp_path}/bye; exit 0' TERM; echo $$ > {tmp_path}/up; sleep 60 & wait"
    )
    pids_in(tmp_path, "up")
    assert terminate_tree(root.pid, grace_seconds=30) == []
    assert (tmp_path / "bye").read_text() == "bye\n"
    assert root.wait() == 0


def test_a_tree_that_ignores_sigterm_is_killed_after_the_grace(
    tmp_path: Path, start: Start
) -> None:
    line = (
        f"trap '' TERM; echo $$ > {tmp_path}/root;"
        f"setsid sh -c 'echo $$ > {tmp_path}/far; while :; do sleep 60; done' &"
        " while :; do sleep 60; done"
    )
    root = start(line)
    _, far = pids_in(tmp_path, "root", "far")
    assert terminate_tree(root.pid, grace_seconds=0.2) == []
    assert not alive(root.pid)
    assert not alive(far)
    assert root.wait() == -signal.SIGKILL


def test_a_stopped_process_is_woken_so_that_it_can_end_politely(
    tmp_path: Path, start: Start
) -> None:
    root = start(f"trap 'exit 7' TERM; echo $$ > {tmp_path}/up; while :; do sleep 0.05; done")
    pids_in(tmp_path, "up")
    os.kill(root.pid, signal.SIGSTOP)
    wait_until(lambda: Path(f"/proc/{root.pid}/stat").read_text().split(") ")[1][0] in "Tt")
    terminate_tree(root.pid, grace_seconds=30)
    assert root.wait() == 7


def test_the_marker_finds_a_daemon_whose_parents_are_gone(tmp_path: Path, start: Start) -> None:
    line = f"setsid sh -c '(sleep 60 & echo $! > {tmp_path}/daemon)' & wait; sleep 60"
    root = start(line, CONTROL_PLANE_EXECUTION="t-1")
    bystander = start("sleep 60", CONTROL_PLANE_EXECUTION="t-11")
    (daemon,) = pids_in(tmp_path, "daemon")
    wait_until(lambda: daemon not in descendants(root.pid))
    assert terminate_tree(root.pid, grace_seconds=5, marker="CONTROL_PLANE_EXECUTION=t-1") == []
    assert not alive(daemon)
    assert alive(bystander.pid)


def test_the_wait_is_the_callers_and_may_reap_the_child(start: Start) -> None:
    root = start("sleep 60")
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        with suppress(subprocess.TimeoutExpired):
            root.wait(seconds)

    terminate_tree(root.pid, grace_seconds=5, wait=wait)
    assert root.poll() == -signal.SIGTERM
    assert all(0 < seconds <= 0.1 for seconds in waits)


def test_a_tree_that_is_gone_already_is_no_error(start: Start) -> None:
    root = start("exit 0")
    root.wait()
    assert terminate_tree(root.pid, grace_seconds=1) == []
    kill_group(root.pid)


def test_a_process_in_our_own_group_is_ended_without_its_group() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert os.getpgid(child.pid) == os.getpgrp()
        terminate_tree(child.pid, grace_seconds=5)
        assert child.wait() == -signal.SIGTERM
    finally:
        child.kill()
        child.communicate()


def test_kill_group_kills_every_member_but_never_our_own_group(
    tmp_path: Path, start: Start
) -> None:
    root = start(f"trap '' TERM; sleep 60 & echo $! > {tmp_path}/child; wait")
    (child,) = pids_in(tmp_path, "child")
    kill_group(root.pid)
    assert root.wait() == -signal.SIGKILL
    wait_until(lambda: not alive(child))
    kill_group(os.getpgrp())
    kill_group(0)
    kill_group(1)


def test_kill_tree_reaches_a_grandchild_that_left_the_session(tmp_path: Path, start: Start) -> None:
    deaf = "trap '' TERM;"
    line = f"{deaf} setsid sh -c 'echo $$ > {tmp_path}/far; while :; do sleep 60; done' & wait"
    root = start(line)
    (far,) = pids_in(tmp_path, "far")
    kill_tree(root.pid)
    assert root.wait() == -signal.SIGKILL
    assert not alive(far)
    kill_tree(root.pid)
    kill_tree(os.getpid())
    kill_tree(1)


def test_without_proc_the_group_is_still_ended(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = start(f"trap '' TERM; echo $$ > {tmp_path}/up; while :; do sleep 60; done")
    pids_in(tmp_path, "up")
    monkeypatch.setattr(process_tree, "_PROC", tmp_path / "nowhere")
    terminate_tree(root.pid, grace_seconds=0.1, wait=lambda _: root.poll())
    assert root.wait() == -signal.SIGKILL


@pytest.mark.parametrize("pid", [-1, 0, 1, os.getpid()])
def test_terminate_tree_refuses_what_is_never_a_command(pid: int) -> None:
    with pytest.raises(ValueError, match="no process tree"):
        terminate_tree(pid, grace_seconds=0)
