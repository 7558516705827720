"""Waiting for what other threads and processes do: as long as it takes, and never forever."""

import threading
import time
from collections.abc import Callable
from typing import Never

import pytest

#: Longest wait, seconds; far more than anything needs on a quiet machine.
TIMEOUT = 60.0
LOOK_EVERY = 0.01

_never_set = threading.Event()


def wait_until[T](
    predicate: Callable[[], T | None],
    *,
    timeout: float = TIMEOUT,
    what: str = "",
    explain: Callable[[], str] | None = None,
) -> T:
    """The first true value of `predicate`. Fails the test after `timeout` seconds, naming `what`.

    `explain` is asked then for what may help to see why, such as the log of a process.
    """
    deadline = time.monotonic() + timeout
    while True:
        value = predicate()
        if value:
            return value
        if time.monotonic() >= deadline:
            _fail(what or predicate.__name__, timeout, explain)
        _never_set.wait(LOOK_EVERY)


def stays[T](predicate: Callable[[], T], *, seconds: float = 0.5, what: str = "") -> None:
    """Fails the test when `predicate` becomes false within the time: for what must not happen."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert predicate(), f"did not stay: {what or predicate.__name__}"
        _never_set.wait(LOOK_EVERY)


def _fail(what: str, timeout: float, explain: Callable[[], str] | None) -> Never:
    details = f"\n{explain()}" if explain else ""
    pytest.fail(f"not within {timeout:g} s: {what}{details}")
