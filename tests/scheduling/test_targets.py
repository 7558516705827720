"""The name by which the audit trail knows a schedule."""

import pytest

from scheduling.targets import target
from tests.scheduling.factories import make_schedule


@pytest.mark.django_db
def test_the_trail_names_it() -> None:
    schedule = make_schedule()
    assert target(schedule) == ("schedule", schedule.id, "nightly")
