"""A server is known by its command line; its log says why it would not start."""

import os
from pathlib import Path

import pytest

from controlplane.embedded_postgres import place, postmaster


def test_only_a_server_of_this_very_folder_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        postmaster,
        "command_lines",
        lambda: [
            (1, []),
            (2, ["postgres: checkpointer", "-D", "/a/data"]),
            (3, ["/usr/bin/vim", "-D", "/a/data"]),
            (4, ["/usr/lib/postgresql/bin/postgres", "-D", "/a/data/old", ""]),
            (5, ["/usr/lib/postgresql/bin/postgres", "-D", "/a/data", ""]),
        ],
    )
    assert postmaster.living_pid(Path("/a/data")) == 5
    assert postmaster.living_pid(Path("/b/data")) is None


def test_command_lines_hold_our_own() -> None:
    assert os.getpid() in dict(postmaster.command_lines())


def test_remains_are_removed_and_nothing_else(tmp_path: Path) -> None:
    where = place.Place(home=tmp_path, socket_dir=tmp_path / "socket", account=None)
    where.data.mkdir()
    where.socket_dir.mkdir()
    for path in (where.data / "postmaster.pid", where.socket_dir / place.SOCKET_NAME):
        path.touch()
    (where.data / "PG_VERSION").touch()
    postmaster.remove_remains(where)
    postmaster.remove_remains(where)
    assert [path.name for path in where.data.iterdir()] == ["PG_VERSION"]
    assert not list(where.socket_dir.iterdir())


@pytest.mark.parametrize(
    ("log", "told"),
    [
        ("LOG:  starting\nFATAL:  no room\nLOG:  bye\n", "FATAL:  no room"),
        ("something else\n", "something else"),
        ("", "nothing logged"),
        (None, "no log at"),
    ],
)
def test_the_telling_line_of_the_log_is_found(tmp_path: Path, log: str | None, told: str) -> None:
    path = tmp_path / "log"
    if log is not None:
        path.write_text(log, encoding="ascii")
    assert postmaster.last_words(path).startswith(told)
