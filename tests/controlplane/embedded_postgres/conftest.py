"""A folder in which the server's account can work; pytest's own is closed to all but its owner."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.embedded_postgres import place, postmaster


@pytest.fixture
def var_dir() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="embedded-"))
    folder.chmod(0o755)
    var_dir = folder / "var"
    yield var_dir
    postmaster.end(place.place_for(var_dir))
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def shared_var_dir() -> Iterator[Path]:
    """One made data folder for all tests of a module, which leave no server running in it."""
    folder = Path(tempfile.mkdtemp(prefix="embedded-"))
    folder.chmod(0o755)
    yield folder / "var"
    postmaster.end(place.place_for(folder / "var"))
    shutil.rmtree(folder)
