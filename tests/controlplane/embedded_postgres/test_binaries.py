"""PostgreSQL's programs are found, tried, and copied where the server's account can run them."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.embedded_postgres import EmbeddedPostgresError, binaries, place

STRANGER = place.Account("stranger", uid=54_321, gid=54_321)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="programs-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def installation(folder: Path, version: str) -> Path:
    programs = folder / "bin"
    programs.mkdir(parents=True)
    for name in binaries.PROGRAMS:
        path = programs / name
        path.write_text(f"#!/bin/sh\necho '{name} (PostgreSQL) {version}'\n", encoding="ascii")
        path.chmod(0o755)
    return programs


def test_the_wheel_comes_first() -> None:
    found = binaries.find(None)
    assert "pginstall" in str(found.folder)
    assert Path(found.program("psql")).exists()


def test_old_and_broken_installations_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = installation(tmp_path / "14", "14.9")
    broken = installation(tmp_path / "17", "17.1")
    (broken / "initdb").unlink()
    good = installation(tmp_path / "16", "16.4")
    monkeypatch.setattr(binaries, "candidates", lambda: iter([old, broken, good]))
    assert binaries.find(None) == binaries.Binaries(good, 16)


def test_data_of_one_version_is_served_by_that_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer, older = installation(tmp_path / "b", "18.1"), installation(tmp_path / "a", "15.2")
    monkeypatch.setattr(binaries, "candidates", lambda: iter([newer, older]))
    assert binaries.find(None, major=15).folder == older


def test_a_machine_without_postgresql_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "candidates", lambda: iter([]))
    with pytest.raises(EmbeddedPostgresError, match=r"PostgreSQL 15 or newer.*DATABASE_URL"):
        binaries.find(None)


def test_programs_in_a_closed_folder_are_copied_once(
    tmp_path: Path, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "OUTSIDE", open_folder / "outside")
    closed = tmp_path / "closed"
    programs = installation(closed / "wheel" / "pginstall", "18.1")
    (closed / "wheel.libs").mkdir()
    closed.chmod(0o700)
    copy = binaries.reachable_copy(programs, STRANGER)
    assert copy
    assert copy.is_relative_to(open_folder)
    assert (copy / "postgres").exists()
    assert (copy / "../../../wheel.libs").resolve().exists(), "where the programs look for it"
    assert place.can_reach(STRANGER, copy / "postgres")
    assert binaries.reachable_copy(programs, STRANGER) == copy
    assert len(list((open_folder / "outside").iterdir())) == 1
    assert binaries.reachable_copy(programs, None) == programs


def test_an_installation_of_somebody_else_in_a_closed_folder_is_passed_over(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert binaries.reachable_copy(installation(tmp_path / "16", "16.4"), STRANGER) is None


def test_the_newest_local_installation_is_tried_first() -> None:
    folders = [Path(f"/usr/lib/postgresql/{number}/bin") for number in (9, 16, 15)]
    assert sorted(folders, key=binaries.number_in)[-1] == Path("/usr/lib/postgresql/16/bin")
