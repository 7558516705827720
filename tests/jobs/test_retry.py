import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from jobs.retry import Backoff, default_backoff

numbers = st.floats(0, 1e300, allow_nan=False)


def test_delays_double_up_to_the_cap() -> None:
    backoff = Backoff(10, 100)
    assert [backoff.delay(n) for n in (1, 2, 3, 4, 5, 6)] == [10, 20, 40, 80, 100, 100]


@pytest.mark.parametrize("attempt", [-(10**9), -1, 0])
def test_a_number_before_the_first_counts_as_the_first(attempt: int) -> None:
    assert Backoff(10, 100).delay(attempt) == 10


@pytest.mark.parametrize("attempt", [62, 63, 64, 1024, 10_000, 10**100])
def test_no_number_is_too_high(attempt: int) -> None:
    assert Backoff(10, 3600).delay(attempt) == 3600
    assert Backoff(1e300, 3600).delay(attempt) == 3600
    assert Backoff(0, 3600).delay(attempt) == 0


@given(numbers, numbers, st.floats(0, 1), st.integers())
def test_a_delay_never_leaves_its_bounds(
    base: float, cap: float, jitter: float, attempt: int
) -> None:
    assert 0 <= Backoff(base, cap, jitter).delay(attempt) <= cap


def test_jitter_takes_off_up_to_its_share() -> None:
    delays = {Backoff(100, 100, 0.25).delay(1) for _ in range(200)}
    assert len(delays) > 100
    assert 75 <= min(delays) < 85
    assert 90 < max(delays) <= 100


@pytest.mark.parametrize("wrong", [(-1, 10, 0), (1, -1, 0), (1, 1, -0.1), (1, 1, 1.1)])
def test_what_makes_no_sense_is_refused(wrong: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        Backoff(*wrong)


def test_the_default_is_the_projects(settings: Settings) -> None:
    assert default_backoff() == Backoff(10.0, 3600.0)
    settings.CONTROL_PLANE = settings.CONTROL_PLANE | {
        "backoff_base_seconds": 1.0,
        "backoff_cap_seconds": 2.0,
    }
    assert default_backoff() == Backoff(1.0, 2.0)
