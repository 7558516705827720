"""What every row works with: the database, the programs, how much to measure."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import cluster
from bench.cluster import Connection
from bench.programs import Program
from controlplane.embedded_postgres import Server

#: A program of the driver's own that takes longer than this is broken, seconds.
PROGRAM_SECONDS = 300
#: For small files that programs tell each other times in; memory where there is such a place.
SCRATCH = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())


@dataclass(frozen=True, slots=True)
class Setting:
    """The place of the measurements."""

    server: Server
    connection: Connection
    folder: Path
    quick: bool
    rounds: int

    def size(self, full: int, quick: int) -> int:
        """How many jobs, by the kind of run."""
        return quick if self.quick else full

    @property
    def dsn(self) -> str:
        """Of the benchmark's database, for programs without Django."""
        return self.server.dsn(cluster.DATABASE)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "DJANGO_SETTINGS_MODULE": "bench.settings",
            "DATABASE_URL": self.server.url(cluster.DATABASE),
            "SECRET_KEY": "of no use outside the benchmark's own database",
            "LOG_LEVEL": "WARNING",
        }

    def start(self, *arguments: str) -> Program:
        """A program with the benchmark's settings and database."""
        log = self.folder / "programs.log"
        return Program(*arguments, environment=self.environment, log=log)

    def executor(self, *options: str) -> Program:
        """An executor process, as `manage.py runexecutor` starts it."""
        return self.start("django", "runexecutor", *options)

    def run(self, *arguments: str) -> Any:
        """Run a program to its end; return what it printed, as JSON."""
        with self.start(*arguments) as program:
            printed = program.result(PROGRAM_SECONDS)
        return json.loads(printed) if printed.strip() else None


@contextmanager
def scratch_file() -> Iterator[Path]:
    """An empty file in memory, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="bench-", dir=SCRATCH) as folder:
        path = Path(folder, "moments")
        path.touch()
        yield path
