"""Waiting for what other processes do, never for longer than said."""

import threading
import time
from collections.abc import Callable

_never = threading.Event()


def rest(seconds: float) -> None:
    """Do nothing for a while."""
    _never.wait(seconds)


def wait_for(condition: Callable[[], bool], *, seconds: float, what: str, every: float) -> None:
    """Return when the condition holds. Raises RuntimeError after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"Waited {seconds:.0f} s for {what} in vain.")
        rest(every)
