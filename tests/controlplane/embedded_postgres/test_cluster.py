"""A data folder is made in one step and configured at every start."""

from pathlib import Path

import pytest

from controlplane.embedded_postgres import EmbeddedPostgresError, binaries, cluster, place


@pytest.fixture
def where(tmp_path: Path) -> place.Place:
    (tmp_path / "data").mkdir()
    return place.Place(home=tmp_path, socket_dir=tmp_path / "it's", account=None)


def configuration(where: place.Place, *, durable: bool) -> str:
    cluster.configure(where, durable=durable)
    return (where.data / "postgresql.conf").read_text(encoding="utf-8")


def test_a_quote_in_a_path_stays_inside_its_setting(where: place.Place) -> None:
    text = configuration(where, durable=True)
    assert f"unix_socket_directories = '\"{where.home}/it''s\"'" in text
    assert "listen_addresses = ''" in text


def test_only_a_careless_cluster_may_lose_data(where: place.Place) -> None:
    assert "fsync" not in configuration(where, durable=True)
    assert "fsync = 'off'" in configuration(where, durable=False)


def test_a_folder_without_a_version_was_never_made(where: place.Place) -> None:
    assert cluster.made_by(where) is None
    (where.data / "PG_VERSION").write_text("18\n", encoding="ascii")
    assert cluster.made_by(where) == 18


def test_a_failure_to_make_it_is_one_line(tmp_path: Path, where: place.Place) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    initdb = programs / "initdb"
    initdb.write_text("#!/bin/sh\necho first >&2\necho 'no space left' >&2\nexit 1\n", "ascii")
    initdb.chmod(0o755)
    with pytest.raises(EmbeddedPostgresError, match=r"could not be made: no space left$"):
        cluster.create(where, binaries.Binaries(programs, 18))


@pytest.mark.parametrize(("major", "option"), [(18, "--locale=C"), (15, "--locale=C.UTF-8")])
def test_every_version_sorts_alike(major: int, option: str) -> None:
    assert option in cluster.locale(major)
