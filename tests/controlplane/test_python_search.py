"""Pythons are found where people keep them, and tried before they are believed."""

import os
import sys
from pathlib import Path

import pytest

from controlplane import python_search


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine with an empty PATH and home, seen from a Python that is too old."""
    for name in ("CONTROL_PLANE_PYTHON", "PYENV_ROOT", "MISE_DATA_DIR", "ASDF_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(python_search, "homes", lambda: [str(tmp_path / "home")])
    monkeypatch.setattr(sys, "version_info", (3, 6, 15))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "old" / "python3"))
    monkeypatch.setattr(python_search, "WELL_KNOWN_FOLDERS", ())
    return tmp_path


def program(path: Path, script: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    path.chmod(0o755)
    return str(path)


def test_a_machine_without_python_gives_none(bare: Path) -> None:
    assert python_search.find_python() is None


def test_a_shim_that_only_complains_is_passed_over(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(bare / "shims" / "python3.14", "echo 'command not found' >&2; exit 127")
    good = program(bare / "bin" / "python3.12", "exit 0")
    monkeypatch.setenv("PATH", f"{bare / 'shims'}{os.pathsep}{bare / 'bin'}")
    assert python_search.find_python() == good


def test_a_hidden_version_is_found_beside_the_shims_although_home_is_empty(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("3.9.18", "3.12.1", "3.13.0"):
        program(bare / "pyenv" / "versions" / version / "bin" / "python3", "exit 0")
    (bare / "pyenv" / "shims").mkdir()
    monkeypatch.setenv("PATH", str(bare / "pyenv" / "shims"))
    assert python_search.find_python() == str(bare / "pyenv/versions/3.13.0/bin/python3")


@pytest.mark.parametrize(
    "folder",
    [
        ".pyenv/versions/3.13.0",
        ".asdf/installs/python/3.12.4",
        ".local/share/mise/installs/python/3.14.0",
        ".local/share/uv/python/cpython-3.13.1-linux-x86_64-gnu",
    ],
)
def test_version_managers_are_searched(bare: Path, folder: str) -> None:
    python = program(bare / "home" / folder / "bin" / "python3", "exit 0")
    assert python_search.find_python() == python


def test_the_chosen_python_is_taken_or_nothing(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(bare / "home/.pyenv/versions/3.13.0/bin/python3", "exit 0")
    chosen = program(bare / "mine", "exit 0")
    monkeypatch.setenv("CONTROL_PLANE_PYTHON", chosen)
    assert python_search.find_python() == chosen
    monkeypatch.setenv("CONTROL_PLANE_PYTHON", program(bare / "mine", "exit 1"))
    assert python_search.find_python() is None


def test_the_running_python_passes_its_own_test() -> None:
    assert python_search.is_fit(sys.executable)


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("3.13.0", [3, 13, 0]),
        ("cpython-3.12.4-macos-aarch64-none", [3, 12, 4]),
        ("3.13-dev", [3, 13]),
        ("pypy3.10", []),
    ],
)
def test_versions_are_read_from_folder_names(name: str, numbers: list[int]) -> None:
    assert python_search.version_of(f"/somewhere/{name}") == numbers
