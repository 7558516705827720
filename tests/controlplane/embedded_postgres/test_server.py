"""One server is shared, survives every kind of death, and is stopped by its last user."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from controlplane.embedded_postgres import (
    EmbeddedPostgresError,
    cluster,
    connection_url,
    ensure_running,
    place,
    postmaster,
    server,
    stop_if_unused,
)
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[3]

USE_UNTIL_TOLD = """
import sys
from pathlib import Path
from controlplane import embedded_postgres
with embedded_postgres.ensure_running(Path(sys.argv[1]), durable=False):
    print("up", flush=True)
    sys.stdin.readline()
"""


def other_user(var_dir: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", USE_UNTIL_TOLD, str(var_dir)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def server_pid(var_dir: Path) -> int | None:
    return postmaster.living_pid(place.place_for(var_dir).data)


def test_it_serves_and_keeps_what_was_written(shared_var_dir: Path) -> None:
    with ensure_running(shared_var_dir, durable=False) as running:
        running.ensure_database("kept")
        running.ensure_database("kept")
        with psycopg.connect(running.url("kept")) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS witness (said text)")
            connection.execute("INSERT INTO witness VALUES ('here')")
    assert server_pid(shared_var_dir) is None
    assert not list(running.socket_dir.iterdir())

    with (
        ensure_running(shared_var_dir, durable=False) as running,
        psycopg.connect(running.dsn("kept")) as connection,
    ):
        assert connection.execute("SELECT said FROM witness").fetchall() == [("here",)]


def test_the_url_is_known_before_the_server_runs(shared_var_dir: Path) -> None:
    url = connection_url(shared_var_dir, database="postgres")
    with ensure_running(shared_var_dir, durable=False) as running:
        assert running.url("postgres") == url
        with psycopg.connect(url) as connection:
            assert connection.execute("SHOW listen_addresses").fetchone() == ("",)


def test_the_last_user_to_leave_stops_it(shared_var_dir: Path) -> None:
    first = ensure_running(shared_var_dir, durable=False)
    second = ensure_running(shared_var_dir, durable=False)
    pid = server_pid(shared_var_dir)
    first.release()
    assert server_pid(shared_var_dir) == pid
    second.release()
    second.release()
    assert server_pid(shared_var_dir) is None


def test_users_who_come_at_once_share_one_server(shared_var_dir: Path) -> None:
    users = [other_user(shared_var_dir) for _ in range(4)]
    assert [first_line(user) for user in users] == ["up"] * 4
    data = place.place_for(shared_var_dir).data
    words = ["-D", str(data)]
    assert sum(line[1:3] == words for _, line in postmaster.command_lines()) == 1
    for user in users:
        user.communicate("leave\n", timeout=30)
    assert server_pid(shared_var_dir) is None


def test_a_killed_user_is_not_counted(shared_var_dir: Path) -> None:
    killed = other_user(shared_var_dir)
    assert first_line(killed) == "up"
    pid = server_pid(shared_var_dir)
    with killed:
        killed.kill()
    assert server_pid(shared_var_dir) == pid, "nobody was there to stop it"

    with ensure_running(shared_var_dir, durable=False):
        assert server_pid(shared_var_dir) == pid, "it is used again, not started anew"
    assert server_pid(shared_var_dir) is None


def test_what_a_killed_user_leaves_can_be_stopped_without_becoming_a_user(
    shared_var_dir: Path,
) -> None:
    user = other_user(shared_var_dir)
    assert first_line(user) == "up"
    stop_if_unused(shared_var_dir)
    assert server_pid(shared_var_dir), "it was in use"
    with user:
        user.kill()
    stop_if_unused(shared_var_dir)
    assert server_pid(shared_var_dir) is None


def test_a_killed_server_comes_back_with_what_was_committed(var_dir: Path) -> None:
    with ensure_running(var_dir) as running:
        running.ensure_database("kept")
        with psycopg.connect(running.url("kept"), autocommit=True) as connection:
            connection.execute("CREATE TABLE witness (said text)")
            connection.execute("INSERT INTO witness VALUES ('committed')")
        pid = server_pid(var_dir)
        assert pid
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: server_pid(var_dir) is None)
        with ensure_running(var_dir) as again, psycopg.connect(again.url("kept")) as connection:
            assert connection.execute("SELECT said FROM witness").fetchall() == [("committed",)]


def test_a_stale_pid_file_that_names_a_stranger_is_not_believed(shared_var_dir: Path) -> None:
    with ensure_running(shared_var_dir, durable=False):
        pass
    where = place.place_for(shared_var_dir)
    stale = where.data / "postmaster.pid"
    stale.write_text(f"{os.getpid()}\n{where.data}\n", encoding="ascii")
    (where.socket_dir / place.SOCKET_NAME).touch()
    with (
        ensure_running(shared_var_dir, durable=False) as running,
        psycopg.connect(running.url("postgres")) as connection,
    ):
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_data_folder_that_was_never_finished_is_made_afresh(var_dir: Path) -> None:
    where = place.place_for(var_dir)
    (where.home / "data.new" / "base").mkdir(parents=True)
    with ensure_running(var_dir, durable=False):
        assert cluster.made_by(where)
    assert not (where.home / "data.new").exists()


def test_data_of_a_version_that_is_not_here_is_one_clear_line(var_dir: Path) -> None:
    where = place.place_for(var_dir)
    where.data.mkdir(parents=True)
    (where.data / "PG_VERSION").write_text("99\n", encoding="ascii")
    with pytest.raises(EmbeddedPostgresError, match="needs PostgreSQL 99") as caught:
        ensure_running(var_dir)
    assert "\n" not in str(caught.value)


def test_a_server_that_cannot_start_says_why(var_dir: Path) -> None:
    with ensure_running(var_dir, durable=False):
        pass
    where = place.place_for(var_dir)
    (where.data / "postgresql.auto.conf").write_text("shared_buffers = 'much'\n", encoding="ascii")
    with pytest.raises(EmbeddedPostgresError, match=r"auto\.conf"):
        ensure_running(var_dir, durable=False)


def test_a_careless_server_is_only_made_on_request(var_dir: Path) -> None:
    with ensure_running(var_dir) as running, psycopg.connect(running.url("postgres")) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("on",)
        assert connection.execute("SHOW data_checksums").fetchone() == ("on",)


def test_the_log_does_not_grow_for_ever(
    shared_var_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ensure_running(shared_var_dir, durable=False):
        pass
    monkeypatch.setattr(server, "LOG_BYTES", 10)
    with ensure_running(shared_var_dir, durable=False):
        assert place.place_for(shared_var_dir).log.with_suffix(".old").exists()
