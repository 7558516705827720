"""The database's clock, carried on by the monotonic one."""

import time
from datetime import UTC, datetime

import pytest

from jobs import queue
from jobs.runtime.clock import COMPARE_AFTER, DatabaseClock


class TwoClocks:
    """This machine's monotonic clock and the database's, set by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.here = 50.0
        self.there = 1_700_000_000.0
        self.asked = 0
        self.round_trip = 0.0
        monkeypatch.setattr("jobs.runtime.clock.time.monotonic", lambda: self.here)
        monkeypatch.setattr(queue, "database_time", self._ask)

    def _ask(self) -> float:
        self.asked += 1
        self.here += self.round_trip / 2
        answer = self.there
        self.here += self.round_trip / 2
        return answer


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> TwoClocks:
    return TwoClocks(monkeypatch)


def test_a_reading_is_told_in_the_databases_time(clocks: TwoClocks) -> None:
    clock = DatabaseClock()
    clock.compare()
    assert clock.at(50.0) == 1_700_000_000.0
    assert clock.at(52.5) == 1_700_000_002.5
    assert clock.moment(50.0) == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


def test_half_of_the_round_trip_is_the_way_back(clocks: TwoClocks) -> None:
    clocks.round_trip = 4.0
    clock = DatabaseClock()
    clock.compare()
    assert clock.at(52.0) == 1_700_000_000.0


def test_the_clocks_are_compared_now_and_then(clocks: TwoClocks) -> None:
    clock = DatabaseClock()
    clock.compare()
    clocks.here += COMPARE_AFTER - 0.1
    clock.compare()
    assert clocks.asked == 1
    clocks.here += 0.1
    clocks.there += COMPARE_AFTER + 30.0  # the database's clock was set forward
    clock.compare()
    assert clocks.asked == 2
    assert clock.at(clocks.here) == clocks.there


@pytest.mark.django_db
def test_it_agrees_with_the_database() -> None:
    clock = DatabaseClock()
    clock.compare()
    reading = time.monotonic()
    assert clock.at(reading) == pytest.approx(queue.database_time(), abs=2.0)
