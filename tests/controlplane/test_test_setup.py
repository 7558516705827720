"""The tests' browser is found, installed, or missed in one clear line."""

import os
import subprocess
from pathlib import Path

import pytest

from controlplane import test_setup


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH, without a browser in it."""
    monkeypatch.delenv("CHROME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def program(path: Path, script: str = "exit 0") -> str:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    path.chmod(0o755)
    return str(path)


def test_the_chosen_one_wins(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(machine / "chromium")
    mine = program(machine / "mine")
    monkeypatch.setenv("CHROME", mine)
    assert test_setup.browser() == mine


def test_an_installed_one_is_found(machine: Path) -> None:
    found = program(machine / "google-chrome")
    assert test_setup.browser() == found


def test_root_on_debian_installs_one(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    target = machine / "chromium"
    install = f'[ "$1" = update ] || {{ echo "#!/bin/sh" > {target}; /bin/chmod +x {target}; }}'
    program(machine / "apt-get", install)
    assert test_setup.browser() == str(target)


def test_a_failed_installation_is_told(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    program(machine / "apt-get", "echo 'no network' >&2; exit 100")
    assert test_setup.browser() is None
    said = capsys.readouterr().err
    assert "apt-get update -qq failed: no network" in said
    assert test_setup.MISSING in said


def test_others_are_told_what_is_missing(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(subprocess, "run", lambda *a, **k: pytest.fail("installs nothing"))
    assert test_setup.browser() is None
    assert capsys.readouterr().err.splitlines() == [test_setup.MISSING]
