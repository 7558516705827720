"""Where a server's files lie: reachable for its account, closed to others, never too long."""

import os
import pwd
import stat
import tempfile
from pathlib import Path

import pytest

from controlplane.embedded_postgres import EmbeddedPostgresError, connection_url, place

STRANGER = place.Account("stranger", uid=54_321, gid=54_321)


def test_naming_a_place_makes_nothing(tmp_path: Path) -> None:
    connection_url(tmp_path / "var")
    assert not list(tmp_path.iterdir())


def test_a_short_path_keeps_the_socket_inside() -> None:
    assert place.socket_dir_for(Path("/srv/var/postgres")) == Path("/srv/var/postgres/socket")


def test_a_path_too_long_for_a_socket_gets_a_short_one_elsewhere() -> None:
    home = Path("/" + "a-long-folder-name/" * 6)
    found = place.socket_dir_for(home)
    assert found.parent == Path(tempfile.gettempdir())
    assert len(os.fsencode(found / place.SOCKET_NAME)) <= place.SOCKET_PATH_BYTES
    assert found != place.socket_dir_for(home / "other")


def test_a_closed_folder_on_the_way_is_noticed(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    assert not place.can_reach(STRANGER, closed / "var" / "postgres")
    assert place.can_reach(None, closed / "var" / "postgres")


def test_root_keeps_the_data_outside_a_checkout_that_others_cannot_enter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(place, "server_account", lambda: STRANGER)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    found = place.place_for(closed / "var")
    assert found.home.parent == place.OUTSIDE
    assert found.account == STRANGER
    assert found != place.place_for(closed / "other")


def test_the_folders_are_closed_to_everybody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "var" / "postgres"
    where = place.Place(home=home, socket_dir=home / "socket", account=None)
    place.prepare(where)
    place.prepare(where)
    for folder in (where.home, where.socket_dir):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_way_to_them_is_passable_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        place.make_passable(tmp_path / "var" / "deeper")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "var" / "deeper").stat().st_mode) == 0o755


def test_a_link_in_the_place_of_the_socket_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "socket").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EmbeddedPostgresError, match="belongs to another account"):
        place.own_folder(tmp_path / "socket", None)


def test_no_account_to_run_as_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> None:
        raise KeyError(name)

    monkeypatch.setattr(pwd, "getpwnam", unknown)
    with pytest.raises(EmbeddedPostgresError, match="no account named"):
        place.server_account()
