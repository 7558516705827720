"""Processes under measurement: started as an operator would, weighed, and surely ended by id."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

ROOT = Path(__file__).resolve().parent.parent
#: How long a program may take to end by itself after SIGTERM, seconds.
STOP_SECONDS = 30


class Program:
    """One Python process in a session of its own; leaving the block ends it."""

    def __init__(self, *arguments: str, environment: Mapping[str, str], log: Path) -> None:
        """`arguments` follow `python -m`; what it prints on stderr is appended to `log`."""
        self.name = " ".join(arguments[:2])
        self.log = log
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                cwd=ROOT,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def output(self) -> IO[str]:
        assert self._process.stdout is not None
        return self._process.stdout

    def check(self) -> None:
        """Raises RuntimeError when it has ended although nobody asked it to."""
        if self._process.poll() is not None:
            raise RuntimeError(f"{self.name} ended early; see {self.log}.")

    def result(self, timeout: float) -> str:
        """What it printed, once it has ended by itself. Raises RuntimeError when it failed."""
        try:
            printed, _ = self._process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"{self.name} took more than {timeout:.0f} s.") from None
        if self._process.returncode != 0:
            raise RuntimeError(f"{self.name} failed; see {self.log}.")
        return printed

    def pids(self) -> list[int]:
        """It and all its descendants."""
        found = [self.pid]
        for pid in found:
            with suppress(OSError):
                children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
                found += [int(child) for child in children.split()]
        return found

    def memory_mb(self) -> float:
        """Memory of it and its descendants, each shared page divided among its users, megabytes."""
        return sum(_pss_kb(pid) for pid in self.pids()) / 1024

    def processor_seconds(self) -> float:
        """Processor time that it and its living descendants have used."""
        return sum(_processor_seconds(pid) for pid in self.pids())

    def end(self) -> None:
        """SIGTERM, a while, SIGKILL for it and whatever it leaves."""
        family = self.pids()
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                for pid in family:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                self._process.wait()
        self.output.close()


def _pss_kb(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")), 0)


def _processor_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
