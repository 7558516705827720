"""Where mutants are tried: copies of the tree, databases made from one template, forked tests.

What is slow to import and belongs to others is imported once, here; each trial is a fork that
imports the project, with the fault in it, and runs the tests until the first one fails.
"""

import importlib
import os
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from tests.mutation.mutant import Mutant

ROOT = Path(__file__).resolve().parent.parent.parent

#: What the tests need of the tree.
FOLDERS = (
    "accounts",
    "audit",
    "controlplane",
    "jobs",
    "scheduling",
    "templates",
    "static",
    "tests",
)
FILES = ("pyproject.toml", "manage.py")

#: Others' modules that are slow to import and safe to share between trials.
SHARED = (
    "django.test",
    "django.db.models",
    "django.db.backends.postgresql.base",
    "django.core.management",
    "faker",
    "factory",
    "psutil",
    "hypothesis",
)

#: A trial that takes longer has hung, and counts as caught. Seconds.
PATIENCE = 90.0

#: The audit trail's guard lets only databases of such a name be emptied.
TEMPLATE = "test_controlplane_mutants"

#: The database of a trial is made here, not by its tests.
READY = ("-p", "tests.mutation.ready_database")

#: On purpose: some of what is imported here are plugins of pytest.
IMPORTED_ALREADY = "ignore::pytest.PytestAssertRewriteWarning"

SURVIVED, FAILED = 0, 1

_never_set = threading.Event()


@dataclass
class Bench:
    """One place to work at: a copy of the tree and a database, for one trial at a time."""

    number: int
    tree: Path
    mutant: Mutant | None = None
    pid: int = 0
    started: float = 0.0
    original: str = field(default="", repr=False)

    @property
    def database(self) -> str:
        return f"{TEMPLATE}_{self.number}"

    @property
    def output(self) -> Path:
        return self.tree / "output.txt"


@dataclass(frozen=True)
class Verdict:
    mutant: Mutant
    caught: bool
    #: The first test that failed, or what else ended the trial.
    by: str
    seconds: float


class Workshop:
    """`try_all` yields a verdict for each mutant as it falls."""

    def __init__(self, folder: Path, *, url: str, tests: Sequence[str], benches: int) -> None:
        self.url = url
        self.tests = tests
        self.benches = [Bench(number, folder / f"bench{number}") for number in range(benches)]
        for bench in self.benches:
            _copy_tree(bench.tree)
        for name in SHARED:
            with suppress(ImportError):
                importlib.import_module(name)

    def prepare(self) -> float:
        """Make the template, run the tests once without any fault; return the seconds it took.

        Raises RuntimeError when they fail.
        """
        bench = self.benches[0]
        self._execute(f'DROP DATABASE IF EXISTS "{TEMPLATE}" WITH (FORCE)')
        self._fork(bench, TEMPLATE, ["--create-db", "--reuse-db", "tests/test_factories.py"])
        if self._wait(bench).caught:
            raise RuntimeError(f"No template could be made:\n{bench.output.read_text()}")
        self._start(bench, None)
        verdict = self._wait(bench)
        if verdict.caught:
            raise RuntimeError(f"The tests fail without any fault:\n{bench.output.read_text()}")
        return verdict.seconds

    def try_all(self, mutants: Sequence[Mutant]) -> Iterator[Verdict]:
        waiting = list(mutants)[::-1]
        while waiting or any(bench.pid for bench in self.benches):
            for bench in self.benches:
                if not bench.pid and waiting:
                    self._start(bench, waiting.pop())
            for bench in self.benches:
                if bench.pid and (verdict := self._look(bench)) is not None:
                    yield verdict
            _never_set.wait(0.02)

    def close(self) -> None:
        """Remove the databases; whoever made the folder removes it."""
        for name in (TEMPLATE, *(bench.database for bench in self.benches)):
            self._execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def _start(self, bench: Bench, mutant: Mutant | None) -> None:
        self._execute(
            f'DROP DATABASE IF EXISTS "{bench.database}" WITH (FORCE)',
            f'CREATE DATABASE "{bench.database}" TEMPLATE "{TEMPLATE}"',
        )
        bench.mutant = mutant
        if mutant is not None and mutant.sql:
            self._execute(mutant.sql, database=bench.database)
        elif mutant is not None:
            _put(bench, mutant)
        self._fork(bench, bench.database, [*READY, *self._order(mutant)])

    def _order(self, mutant: Mutant | None) -> list[str]:
        """The tests of the mutant's own module first: most faults are caught there."""
        stem = Path(mutant.path).stem if mutant else ""
        return sorted(self.tests, key=lambda test: not Path(test).name.startswith(f"test_{stem}"))

    def _fork(self, bench: Bench, database: str, arguments: list[str]) -> None:
        bench.started = time.monotonic()
        bench.pid = os.fork()
        if bench.pid == 0:
            code = 70
            try:
                os.setsid()
                code = _run_tests(bench, _with_database(self.url, database), arguments)
            except BaseException:  # noqa: BLE001 - a fork must never run on in its parent's code
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)

    def _wait(self, bench: Bench) -> Verdict:
        while (verdict := self._look(bench)) is None:
            _never_set.wait(0.05)
        return verdict

    def _look(self, bench: Bench) -> Verdict | None:
        seconds = time.monotonic() - bench.started
        ended, status = os.waitpid(bench.pid, os.WNOHANG)
        if not ended and seconds < PATIENCE:
            return None
        with suppress(ProcessLookupError):
            os.killpg(bench.pid, signal.SIGKILL)
        if not ended:
            os.waitpid(bench.pid, 0)
            by = f"it hung for {PATIENCE:.0f} s"
        else:
            by = _by(os.waitstatus_to_exitcode(status), bench.output)
        bench.pid = 0
        mutant = bench.mutant or Mutant("", 0, "", "", "")
        _restore(bench)
        return Verdict(mutant, bool(by), by, seconds)

    def _execute(self, *statements: str, database: str = "postgres") -> None:
        with psycopg.connect(_with_database(self.url, database), autocommit=True) as link:
            for statement in statements:
                link.execute(statement.encode())


def _copy_tree(to: Path) -> None:
    for name in FOLDERS:
        shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy2(ROOT / name, to / name)


def _put(bench: Bench, mutant: Mutant) -> None:
    path = bench.tree / mutant.path
    bench.original = path.read_text(encoding="utf-8")
    path.write_text(mutant.text, encoding="utf-8")


def _restore(bench: Bench) -> None:
    """The true file again, and no compiled form of the false one."""
    if bench.mutant is not None and bench.original:
        path = bench.tree / bench.mutant.path
        path.write_text(bench.original, encoding="utf-8")
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()
    bench.original, bench.mutant = "", None


def _run_tests(bench: Bench, url: str, arguments: list[str]) -> int:
    """In the fork: run pytest in the bench's tree and on its database."""
    for name in [name for name in sys.modules if name.partition(".")[0] in FOLDERS]:
        del sys.modules[name]
    os.chdir(bench.tree)
    sys.path[:] = [str(bench.tree), *(path for path in sys.path if path not in ("", str(ROOT)))]
    # pytest-django puts "test_" before the name that it is given.
    os.environ["DATABASE_URL"] = url.replace("/test_", "/", 1)
    log = os.open(bench.output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    quiet = ["-x", "-q", "--tb=line", "-p", "no:cacheprovider", "-W", IMPORTED_ALREADY]
    return int(pytest.main([*quiet, *arguments]))


def _by(code: int, output: Path) -> str:
    """What caught the mutant; empty when nothing did."""
    if code == SURVIVED:
        return ""
    for line in output.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith(("FAILED ", "ERROR ")):
            return line.split(" - ")[0].partition(" ")[2]
    return f"exit {code}" if code != FAILED else "a test"


def _with_database(url: str, name: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"/{name}"))
