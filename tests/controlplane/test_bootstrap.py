"""The environment is made once, safely, and found again quickly."""

import ast
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from controlplane import bootstrap

ROOT = Path(__file__).resolve().parents[2]

OLD_SYNTAX = ("manage.py", "controlplane/bootstrap.py", "controlplane/python_search.py")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "requirements.lock").write_text("# nothing is pinned here\n", encoding="ascii")
    return tmp_path


def prepare_elsewhere(root: Path) -> subprocess.Popen[str]:
    code = f"from controlplane import bootstrap; bootstrap.prepare({str(root)!r})"
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("name", OLD_SYNTAX)
def test_the_files_before_the_environment_keep_to_old_syntax(name: str) -> None:
    ast.parse((ROOT / name).read_text(encoding="utf-8"), feature_version=(3, 6))


@pytest.mark.parametrize("name", OLD_SYNTAX[1:])
def test_the_files_before_the_environment_import_the_standard_library_only(name: str) -> None:
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
    modules = {
        alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert modules <= sys.stdlib_module_names
    assert (ROOT / "controlplane/__init__.py").read_bytes() == b""


def test_it_makes_an_environment_and_finds_it_again_at_once(
    root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    python = bootstrap.prepare(str(root))
    subprocess.run([python, "-m", "pip", "--version"], check=True, capture_output=True)
    assert "Setting up" in capfd.readouterr().err

    started = time.perf_counter()
    assert bootstrap.prepare(str(root)) == python
    assert time.perf_counter() - started < 0.3
    assert capfd.readouterr().err == ""


def test_changed_pins_are_installed_into_the_same_environment(root: Path) -> None:
    bootstrap.prepare(str(root))
    kept = root / ".venv" / "kept"
    kept.touch()
    (root / "requirements.lock").write_text("# changed\n", encoding="ascii")
    bootstrap.prepare(str(root))
    assert kept.exists()
    assert bootstrap.is_current(str(root / ".venv"), bootstrap.wanted_stamp(str(root)))


def test_an_environment_that_was_killed_half_way_is_made_afresh(root: Path) -> None:
    environment = root / ".venv"
    environment.mkdir()
    (environment / "half-a-package").touch()
    bootstrap.write_stamp(str(environment), bootstrap.UNFINISHED)
    bootstrap.prepare(str(root))
    assert not (environment / "half-a-package").exists()
    assert (environment / "bin" / "python").exists()


def test_of_two_set_ups_at_once_one_works_and_the_other_waits(root: Path) -> None:
    both = [prepare_elsewhere(root), prepare_elsewhere(root)]
    said = [process.communicate(timeout=120)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum("Setting up" in text for text in said) == 1


def test_no_fitting_python_is_one_line_and_exit_status_1(root: Path) -> None:
    code = (
        f"from controlplane import bootstrap; bootstrap.ROOT = {str(root)!r}; "
        "bootstrap.is_ready = lambda: False; bootstrap.ensure_environment()"
    )
    environment = {**os.environ, "CONTROL_PLANE_PYTHON": "/bin/false"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "manage.py: CONTROL_PLANE_PYTHON is /bin/false, which is not "
        "Python 3.12 or newer with venv and ssl"
    )


def test_a_missing_lock_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(bootstrap.BootstrapError, match=r"requirements\.lock is missing"):
        bootstrap.prepare(str(tmp_path))


def test_an_environment_that_is_unfit_after_the_hand_over_does_not_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(bootstrap.HANDED_OVER, "1")
    monkeypatch.setattr(bootstrap, "is_ready", lambda: False)
    with pytest.raises(SystemExit, match="damaged"):
        bootstrap.ensure_environment()


def test_where_the_packages_are_it_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "prepare", lambda root: pytest.fail("must not be called"))
    bootstrap.ensure_environment()
