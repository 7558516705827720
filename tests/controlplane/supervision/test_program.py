"""A program that keeps dying is started ever later; one that was well is forgiven."""

import time

import pytest

from controlplane.supervision import program
from controlplane.supervision.program import BACK_OFF, Child, Program


def test_the_wait_grows_to_a_limit() -> None:
    child = Child(Program("web", ("true",)))
    child._started = time.monotonic()
    waits = [child.schedule_restart() for _ in range(len(BACK_OFF) + 2)]
    assert waits == [*BACK_OFF, BACK_OFF[-1], BACK_OFF[-1]]
    assert not child.is_due()


def test_a_long_life_starts_the_count_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    child = Child(Program("web", ("true",)))
    child._started = time.monotonic()
    child.schedule_restart()
    child.schedule_restart()
    monkeypatch.setattr(program, "WELL_SECONDS", 0)
    assert child.schedule_restart() == BACK_OFF[0]


@pytest.mark.parametrize(
    ("code", "words"),
    [(0, "ended"), (3, "failed with exit status 3"), (-9, "was killed by SIGKILL")],
)
def test_the_end_is_told_in_words(code: int, words: str) -> None:
    assert program.description(code) == words
