"""`manage.py up` as a person runs it: real database, real processes, real signals."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import psutil
import psycopg
import pytest

from controlplane import embedded_postgres
from controlplane.embedded_postgres import place
from tests.waiting import wait_until

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]

type Start = Callable[..., "Up"]

START_SECONDS = 90.0
STOP_SECONDS = 10.0

GOOD_LINES = """\
SHELL=/bin/bash
*/5 * * * * echo "first $((1 + 1))" >> {witness}; echo did the first
0 3 * * 1 echo second >> {witness} && echo did the second
"""
BAD_LINE = "@daily echo third >> {witness}; echo 'no such disk' >&2; exit 3\n"


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A place for one installation, with everything that these tests leave in it."""
    folder = Path(tempfile.mkdtemp(prefix="up-"))
    folder.chmod(0o755)
    yield folder
    for process in processes_of(folder):
        with suppress(psutil.NoSuchProcess):
            process.kill()
    embedded_postgres.stop_if_unused(folder / "var")
    shutil.rmtree(folder)


def environment(home: Path) -> Mapping[str, str]:
    inherited = ("PATH", "LANG", "TMPDIR")
    kept = {name: os.environ[name] for name in inherited if name in os.environ}
    return {**kept, "HOME": str(home), "CONTROL_PLANE_VAR": str(home / "var")}


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    """Starts `up` with arguments; what a failed test leaves running is ended."""
    started: list[Up] = []

    def run(*arguments: str, home: Path = home) -> Up:
        started.append(Up(home, *arguments))
        return started[-1]

    yield run
    for up in started:
        if up.process.poll() is None:
            up.end(signal.SIGTERM)


class Up:
    """One `manage.py up`, its output in a file."""

    def __init__(self, home: Path, *arguments: str) -> None:
        self.log = Path(tempfile.mkstemp(dir=home, prefix="log-")[1])
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", *arguments],
                cwd=ROOT,
                env=environment(home),
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def text(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def wait_for(self, pattern: str) -> re.Match[str]:
        return wait_until(
            lambda: re.search(pattern, self.text()),
            timeout=START_SECONDS,
            what=pattern,
            explain=self.text,
        )

    def end(self, number: int) -> float:
        started = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(30)
        return time.monotonic() - started


def processes_of(home: Path) -> list[psutil.Process]:
    """Every process of the installation but the database's own, told by its environment."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get("CONTROL_PLANE_VAR") == str(home / "var"):
                found.append(process)
    return found


def left_behind(home: Path) -> list[str]:
    """What a stopped installation must not leave: processes, a server, sockets."""
    where = place.place_for(home / "var")
    running = [" ".join(process.cmdline()) for process in processes_of(home)]
    server = embedded_postgres.postmaster.living_pid(where.data)
    sockets = [str(path) for path in where.socket_dir.iterdir()]
    return [*running, *([f"server {server}"] if server else []), *sockets]


def crontab(home: Path, text: str) -> tuple[Path, Path]:
    witness = home / "witness"
    witness.unlink(missing_ok=True)
    path = home / "crontab"
    path.write_text(text.format(witness=witness), encoding="utf-8")
    return path, witness


def jobs_by_status(home: Path) -> dict[str, int]:
    """States of the jobs that crontab lines became."""
    with (
        embedded_postgres.ensure_running(home / "var") as server,
        psycopg.connect(server.url()) as connection,
    ):
        rows = connection.execute(
            "SELECT job.status, count(*) FROM jobs_job job"
            " JOIN scheduling_jobschedule schedule ON schedule.id = job.trigger_id"
            " WHERE schedule.import_key LIKE 'crontab:%' AND job.trigger = 'schedule'"
            " GROUP BY 1"
        )
        return dict(rows.fetchall())


def test_once_runs_every_line_and_tells_of_the_one_that_failed(home: Path, start: Start) -> None:
    file, witness = crontab(home, GOOD_LINES + BAD_LINE)
    up = start("--once", "--crontab", str(file))
    assert up.process.wait(START_SECONDS) == 1, up.text()
    said = up.text()
    assert sorted(witness.read_text().splitlines()) == ["first 2", "second", "third"]
    assert re.search(r"echo \"first.* SUCCEEDED +\d+\.\d\d s +did the first\n", said)
    assert re.search(r"echo third.* DEAD_LETTER +\d+\.\d\d s +no such disk\n", said)
    assert "Health check" in said
    assert re.search(r"(\d+) of (\d+) succeeded", said)
    assert jobs_by_status(home) == {"SUCCEEDED": 2, "DEAD_LETTER": 1}
    assert left_behind(home) == []


def test_up_serves_pages_alone_and_leaves_nothing(home: Path, start: Start) -> None:
    up = start()
    url = up.wait_for(r"Running +(http://\S+)")[1]
    with urlopen(url) as page:
        assert page.status == 200
    second = start()
    assert second.process.wait(START_SECONDS) == 1
    assert f"runs already at {url}" in second.text()

    up.wait_for("executor started")
    assert up.end(signal.SIGINT) < STOP_SECONDS
    assert up.process.returncode == 0
    order = re.findall(r"(?m)^[\d:]{8} (\w+) +stopped$", up.text())
    assert order == ["scheduler", "executor", "watchdog", "web"]
    assert left_behind(home) == []


def test_a_killed_up_is_cleaned_up_and_the_next_one_works(home: Path, start: Start) -> None:
    up = start()
    url = up.wait_for(r"Running +(http://\S+)")[1]
    up.end(signal.SIGKILL)
    again = start()
    assert again.wait_for(r"Running +(http://\S+)")[1] == url, "the port was free again"
    password = (home / "var" / "admin_password").read_text(encoding="utf-8").strip()
    assert password not in again.text(), "it is told once, at the start that made it"
    assert "The supervisor was killed" in up.text()
    assert again.end(signal.SIGTERM) < STOP_SECONDS
    assert left_behind(home) == []


def test_a_killed_database_is_started_again(home: Path, start: Start) -> None:
    up = start()
    url = up.wait_for(r"Running +(http://\S+)")[1]
    pid = embedded_postgres.postmaster.living_pid(place.place_for(home / "var").data)
    assert pid
    os.kill(pid, signal.SIGKILL)
    up.wait_for("Database +had died; it runs again")

    def is_well() -> bool:
        with suppress(OSError), urlopen(f"{url}healthz") as page:
            return bool(page.status == 200)
        return False

    wait_until(is_well, what="the health page answers")
    assert up.end(signal.SIGINT) < STOP_SECONDS
    assert left_behind(home) == []


def test_ctrl_c_ends_a_command_that_would_run_on(home: Path, start: Start) -> None:
    file, witness = crontab(home, "* * * * * trap '' TERM; echo up >> {witness}; sleep 600\n")
    up = start("--once", "--crontab", str(file))
    wait_until(witness.exists, timeout=START_SECONDS, explain=up.text)
    assert up.end(signal.SIGINT) < STOP_SECONDS
    assert up.process.returncode == 1
    assert left_behind(home) == []


def test_without_the_failing_line_it_exits_0(home: Path, start: Start) -> None:
    elsewhere = home / "second"
    elsewhere.mkdir()
    file, _ = crontab(elsewhere, GOOD_LINES)
    up = start("--once", "--crontab", str(file), home=elsewhere)
    assert up.process.wait(START_SECONDS) == 0, up.text()
    assert "6 of 6 succeeded" in up.text()
    assert jobs_by_status(elsewhere) == {"SUCCEEDED": 2}
    assert left_behind(elsewhere) == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--crontab", "/no/such/file"], "Cannot read /no/such/file: No such file"),
        (["--crontab", "/"], "Cannot read /: Is a directory"),
        (["--host", "192.0.2.1"], "Cannot listen on 192.0.2.1"),
        (["--port", "99999"], "A port is a number from 1 to 65535"),
    ],
)
def test_what_stands_in_the_way_is_one_line(
    home: Path, start: Start, arguments: list[str], told: str
) -> None:
    up = start(*arguments)
    assert up.process.wait(START_SECONDS) != 0
    assert told in up.text()
    assert "Traceback" not in up.text()
    assert left_behind(home) == []
