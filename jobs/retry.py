"""When a failed attempt is tried again: pure functions of attempt number and policy."""

import random
from dataclasses import dataclass

from controlplane import conf

#: 2 ** 62 base units is beyond any cap; larger exponents would overflow a float for nothing.
MAX_EXPONENT = 62


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays that double: base, 2 base, 4 base ... up to a cap, in seconds.

    `jitter` from 0 to 1 takes a random share of up to that much off each delay, so that jobs that
    failed together do not come back together.
    """

    base_seconds: float
    cap_seconds: float
    jitter: float = 0.0

    def __post_init__(self) -> None:
        if self.base_seconds < 0 or self.cap_seconds < 0:
            raise ValueError("backoff delays must not be negative.")
        if not 0.0 <= self.jitter <= 1.0:
            raise ValueError("jitter must be from 0 to 1.")

    def delay(self, attempt: int) -> float:
        """Seconds to wait after the given attempt (1 for the first). Never overflows, for any
        number.
        """
        exponent: int = min(max(attempt, 1) - 1, MAX_EXPONENT)
        seconds = min(self.base_seconds * float(2**exponent), self.cap_seconds)
        return seconds * (1.0 - self.jitter * random.random())  # noqa: S311 - spreads load, no secret


def default_backoff() -> Backoff:
    """The policy of a task that names none."""
    options = conf.options()
    return Backoff(options.backoff_base_seconds, options.backoff_cap_seconds)
