"""Real processes: a management command started as an operator would, watched, and surely ended."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlencode

import psutil
from django.db import connection

from tests.waiting import TIMEOUT, wait_until

ROOT = Path(__file__).resolve().parent.parent

#: Options that let a process of a test start, notice and stop within fractions of a second.
QUICK: dict[str, Any] = {
    "executor_enabled": True,
    "executor_tick_seconds": 0.2,
    "executor_threads": 4,
    "lease_seconds": 3.0,
    "lease_renewal_seconds": 0.5,
    "shutdown_grace_seconds": 5.0,
    "kill_grace_seconds": 1.0,
    "scheduler_tick_seconds": 0.5,
    "watchdog_tick_seconds": 0.5,
    "worker_report_seconds": 0.5,
    "backoff_base_seconds": 0.05,
}


def test_database_url() -> str:
    """DATABASE_URL of the database that this test works on."""
    facts = connection.settings_dict
    person = quote(facts["USER"], safe="")
    if facts["PASSWORD"]:
        person += f":{quote(facts['PASSWORD'], safe='')}"
    address = facts["HOST"] + (f":{facts['PORT']}" if facts["PORT"] else "")
    given = {name: facts["OPTIONS"][name] for name in ("host", "port") if name in facts["OPTIONS"]}
    query = f"?{urlencode(given)}" if given else ""
    return f"postgresql://{person}@{address}/{facts['NAME']}{query}"


# The name begins with "test", but it is no test.
test_database_url.__test__ = False  # type: ignore[attr-defined]


class StartedProcess:
    """A management command in a process of its own, with its output in a file.

    Leaving the `with` block kills it and every process that it started, by process id.
    """

    def __init__(
        self,
        *arguments: str,
        log_path: Path,
        options: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`options` override QUICK; both reach the process as CONTROL_PLANE."""
        self.arguments = arguments
        self.log_path = log_path
        variables = {
            **os.environ,
            "DATABASE_URL": test_database_url(),
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "CONTROL_PLANE_TEST_OPTIONS": json.dumps({**QUICK, **(options or {})}),
            "PYTHONUNBUFFERED": "1",
            **(environment or {}),
        }
        with log_path.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "django", *arguments],
                cwd=ROOT,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._seen: dict[int, psutil.Process] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.end()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def log(self) -> str:
        """Everything it has printed so far."""
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def wait_for_log(self, text: str, *, timeout: float = TIMEOUT) -> None:
        """Returns when `text` is in the log; fails the test if the process ends without it."""
        wait_until(
            lambda: text in self.log() or not self.is_running,
            timeout=timeout,
            what=f"{text!r} in the log of {self}",
            explain=self.log,
        )
        assert text in self.log(), f"{self} ended without {text!r}:\n{self.log()}"

    def wait(self, *, timeout: float = TIMEOUT) -> int:
        """Its exit status, once it ends by itself; a negative one is the signal that ended it."""
        wait_until(
            lambda: not self.is_running, timeout=timeout, what=f"end of {self}", explain=self.log
        )
        return self._process.wait()

    def children(self) -> list[psutil.Process]:
        """Every process below it, remembered for the end, when they may have lost their parent."""
        try:
            found: list[psutil.Process] = psutil.Process(self.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []
        self._seen.update({child.pid: child for child in found})
        return found

    def send(self, number: signal.Signals) -> None:
        self.children()
        self._process.send_signal(number)

    def kill(self) -> int:
        """kill -9, as a power cut or the kernel's memory killer does. Returns when it is gone."""
        self.send(signal.SIGKILL)
        return self._process.wait(TIMEOUT)

    def terminate(self) -> None:
        """SIGTERM, as systemd sends it; `wait()` then tells how it ended."""
        self.send(signal.SIGTERM)

    def pause(self) -> None:
        """SIGSTOP: alive for the kernel, dead for everyone who waits for it."""
        self.send(signal.SIGSTOP)
        wait_until(
            lambda: psutil.Process(self.pid).status() == psutil.STATUS_STOPPED, what="SIGSTOP"
        )

    def resume(self) -> None:
        self.send(signal.SIGCONT)

    def end(self) -> None:
        """Kill it and all that it started, whatever state they are in."""
        self.children()
        if self.is_running:
            self._process.kill()
        self._process.wait(TIMEOUT)
        left = [child for child in self._seen.values() if child.is_running()]
        for child in left:
            # is_running() compares start times, so a reused process id is never hit.
            try:
                child.kill()
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(left, timeout=TIMEOUT)

    def __str__(self) -> str:
        return f"{' '.join(self.arguments)} (pid {self.pid})"
