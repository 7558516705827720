"""Every event reaches some region, and no event is forgotten."""

import pytest

from audit.vocabulary import EventType
from controlplane.live.regions import REGIONS, regions_of


@pytest.mark.parametrize("event", list(EventType))
def test_every_event_type_is_mapped_to_regions(event: EventType) -> None:
    assert REGIONS[event]


def test_an_event_names_the_regions_of_its_target() -> None:
    assert "job:7" in regions_of("JOB_FAILED", 7)
    assert "schedule:3" in regions_of("SCHEDULE_PAUSED", 3)
    assert "audit" in regions_of("LOGIN_FAILED", None)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="NOTHING"):
        regions_of("NOTHING", 1)
