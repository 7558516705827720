"""One `up` per checkout; what a killed one leaves is waited for."""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from controlplane.up import sole
from controlplane.up.errors import UpError

NOBODY = 2**22 + 1  # above every process id


@pytest.fixture
def held(tmp_path: Path) -> Iterator[IO[str]]:
    """A lock held by somebody else."""
    with (tmp_path / "up.lock").open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def test_the_second_is_told_where_the_first_one_is(tmp_path: Path) -> None:
    with sole.claim(tmp_path) as claim:
        claim.note("http://127.0.0.1:8000/")
        expected = rf"runs already at http://127\.0\.0\.1:8000/ \(process {os.getpid()}\)"
        with pytest.raises(UpError, match=expected), sole.claim(tmp_path):
            pass


def test_it_is_free_again_afterwards(tmp_path: Path) -> None:
    with sole.claim(tmp_path) as claim:
        claim.note("somewhere")
    with sole.claim(tmp_path):
        assert (tmp_path / "up.lock").read_text(encoding="utf-8") == ""


def test_the_guardian_of_a_killed_one_is_waited_for(tmp_path: Path, held: IO[str]) -> None:
    held.write(f"{NOBODY} http://127.0.0.1:8000/\n")
    held.flush()
    looks: list[bool] = []

    def is_free(file: IO[str]) -> bool:
        looks.append(True)
        if len(looks) == 3:
            held.close()
        return len(looks) > 3

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sole, "is_free", is_free)
        with sole.claim(tmp_path):
            assert len(looks) == 4


def test_but_not_for_ever(tmp_path: Path, held: IO[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sole, "PATIENCE_SECONDS", 0)
    with pytest.raises(UpError, match="runs already"), sole.claim(tmp_path):
        pass


def test_a_process_is_alive_until_it_is_gone() -> None:
    assert sole.is_alive(os.getpid())
    assert sole.is_alive(1)
    assert not sole.is_alive(NOBODY)
