"""Where mutants are tried: a copy of the tree, and databases made from one template.

A trial is a fork that has a fault and runs the tests until the first one fails. Where it lies
in a function, a statement or the database, the fork comes from a pytest that has imported and
collected everything already (`trials.py`); else it imports the project anew, with the fault in it.
"""

import importlib
import os
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
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
PATIENCE = 240.0

#: The audit trail's guard lets only databases of such a name be emptied.
TEMPLATE = f"test_controlplane_mutants_{os.getpid()}"

#: The database of a trial is made here, not by its tests.
READY = ("-p", "tests.mutation.ready_database")

#: On purpose: some of what is imported here are plugins of pytest.
IMPORTED_ALREADY = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
QUIET = ("-x", "-q", "--tb=line", "-p", "no:cacheprovider", *IMPORTED_ALREADY)

#: Exit status of a trial whose tests all passed.
SURVIVED = 0
#: Exit status of one that could not be made.
BROKEN = 70

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
    mutant: Mutant | None
    caught: bool
    #: The first test that failed, or what else ended the trial.
    by: str
    seconds: float


#: Runs in the fork: its bench has a database and knows its mutant. Returns the exit status.
type Trial = Callable[[Bench], int]


class Workshop:
    """Benches, and the forks that work at them."""

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
        self._fork(bench, self._make_template)
        if self._wait(bench).caught:
            raise RuntimeError(f"No template could be made:\n{bench.output.read_text()}")
        self._begin(bench, None, self.import_anew)
        verdict = self._wait(bench)
        if verdict.caught:
            raise RuntimeError(f"The tests fail without any fault:\n{bench.output.read_text()}")
        return verdict.seconds

    def try_all(
        self, mutants: Sequence[Mutant], trial: Trial, tell: Callable[[Verdict], None]
    ) -> None:
        """Try each mutant, as many at a time as there are benches; tell each verdict."""
        waiting = list(mutants)[::-1]
        while waiting or any(bench.pid for bench in self.benches):
            for bench in self.benches:
                if not bench.pid and waiting:
                    self._begin(bench, waiting.pop(), trial)
            for bench in self.benches:
                if bench.pid and (verdict := self._look(bench)) is not None:
                    tell(verdict)
            _never_set.wait(0.02)

    def import_anew(self, bench: Bench) -> int:
        """A trial: pytest from its start, in the bench's tree, whose file has the fault."""
        mutant = bench.mutant
        stem = Path(mutant.path).stem if mutant else ""
        tests = sorted(self.tests, key=lambda test: not Path(test).name.startswith(f"test_{stem}"))
        return self._pytest(bench, bench.database, *READY, *tests)

    def enter(self, tree: Path, database: str) -> None:
        """Make this process import from a tree, and its Django use a database."""
        for name in [name for name in sys.modules if name.partition(".")[0] in FOLDERS]:
            del sys.modules[name]
        os.chdir(tree)
        sys.path[:] = [str(tree), *(path for path in sys.path if path not in ("", str(ROOT)))]
        # pytest-django puts "test_" before the name that it is given.
        name = database.removeprefix("test_")
        os.environ["DATABASE_URL"] = _with_database(self.url, name)

    def close(self) -> None:
        """Remove the databases; whoever made the folder removes it."""
        for name in (TEMPLATE, *(bench.database for bench in self.benches)):
            self._execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def _make_template(self, bench: Bench) -> int:
        return self._pytest(bench, TEMPLATE, "--create-db", "--reuse-db", "tests/test_factories.py")

    def _pytest(self, bench: Bench, database: str, *arguments: str) -> int:
        self.enter(bench.tree, database)
        return int(pytest.main([*QUIET, *arguments]))

    def _begin(self, bench: Bench, mutant: Mutant | None, trial: Trial) -> None:
        self._execute(
            f'DROP DATABASE IF EXISTS "{bench.database}" WITH (FORCE)',
            f'CREATE DATABASE "{bench.database}" TEMPLATE "{TEMPLATE}"',
        )
        bench.mutant = mutant
        if mutant is not None and mutant.sql:
            self._execute(mutant.sql, database=bench.database)
        elif mutant is not None:
            _put(bench, mutant)
        self._fork(bench, trial)

    def _fork(self, bench: Bench, trial: Trial) -> None:
        bench.started = time.monotonic()
        bench.pid = os.fork()
        if bench.pid == 0:
            code = BROKEN
            try:
                os.setsid()
                _redirect(bench.output)
                code = trial(bench)
            except BaseException:  # noqa: BLE001 - a fork must never run on in its parent's code
                traceback.print_exc()
            finally:
                sys.stdout.flush()
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
        if ended:
            code = os.waitstatus_to_exitcode(status)
            if code == BROKEN:
                raise RuntimeError(f"A trial went wrong:\n{bench.output.read_text()}")
            by = _by(code, bench.output)
        else:
            os.waitpid(bench.pid, 0)
            by = f"it hung for {PATIENCE:.0f} s"
        verdict = Verdict(bench.mutant, bool(by), by, seconds)
        bench.pid = 0
        _restore(bench)
        return verdict

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


def _redirect(output: Path) -> None:
    log = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)


def _by(code: int, output: Path) -> str:
    """What caught the mutant; empty when nothing did."""
    if code == SURVIVED:
        return ""
    for line in output.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith(("FAILED ", "ERROR ")):
            return line.split(" - ")[0].partition(" ")[2]
    return f"exit status {code}"


def _with_database(url: str, name: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"/{name}"))
