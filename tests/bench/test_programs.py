import os
from pathlib import Path

import psutil
import pytest

from bench.programs import Program
from tests.waiting import wait_until

pytestmark = pytest.mark.processes


@pytest.fixture
def module(tmp_path: Path) -> str:
    """A program that starts a child, says so, and waits."""
    (tmp_path / "started_by_a_test.py").write_text(
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import sys; sys.stdin.read()'],"
        " stdin=subprocess.PIPE)\n"
        "print('ready', flush=True)\n"
        "child.wait()\n",
        encoding="utf-8",
    )
    return "started_by_a_test"


def start(tmp_path: Path, *arguments: str) -> Program:
    environment = {"PYTHONPATH": os.pathsep.join([str(tmp_path), "."])}
    return Program(*arguments, environment=environment, log=tmp_path / "log")


def test_a_program_is_weighed_with_its_children_and_ended(tmp_path: Path, module: str) -> None:
    with start(tmp_path, module) as program:
        assert program.output.readline() == "ready\n"
        family = program.pids()
        assert len(family) == 2
        assert program.memory_mb() > 1
        assert program.processor_seconds() >= 0
    wait_until(lambda: not any(map(psutil.pid_exists, family)), what="the end of both")


def test_a_failure_names_the_log(tmp_path: Path) -> None:
    with start(tmp_path, "no_such_module") as program:
        with pytest.raises(RuntimeError, match="log"):
            program.result(30)
        with pytest.raises(RuntimeError, match="ended early"):
            program.check()
