"""The memory that an executor and its keeper share."""

import pytest

from jobs.runtime import ledger as ledger_module
from jobs.runtime.ledger import Entry, Full, Ledger


def test_what_is_claimed_started_and_ended_is_seen_as_such() -> None:
    ledger = Ledger()
    first, second = ledger.enter(11), ledger.enter(12)
    assert ledger.entries() == [Entry(11, 0.0, False, False), Entry(12, 0.0, False, False)]
    ledger.start(second, 12, deadline=99.5, alone=True)
    assert ledger.entries()[1] == Entry(12, 99.5, True, True)
    ledger.leave(first)
    assert ledger.entries() == [Entry(12, 99.5, True, True)]
    ledger.leave(second)
    assert ledger.entries() == []


def test_large_ids_fit() -> None:
    ledger = Ledger()
    ledger.enter(2**62)
    assert ledger.entries()[0].execution_id == 2**62


def test_places_are_used_again_and_counted() -> None:
    ledger = Ledger()
    full = ledger.room
    places = [ledger.enter(number) for number in range(1, full + 1)]
    assert (ledger.room, len(set(places))) == (0, full)
    with pytest.raises(Full):
        ledger.enter(full + 1)
    ledger.leave(places[7])
    assert ledger.enter(full + 1) == places[7]


def test_groups_come_and_go_and_are_limited() -> None:
    ledger = Ledger()
    places = [ledger.track_group(pgid) for pgid in range(1, ledger_module.GROUPS + 1)]
    with pytest.raises(Full):
        ledger.track_group(1)
    for place in places[2:]:
        ledger.untrack_group(place)
    assert ledger.groups() == [1, 2]


def test_heartbeats_are_counted() -> None:
    ledger = Ledger()
    assert ledger.beats() == 0
    ledger.beat()
    ledger.beat()
    assert ledger.beats() == 2
