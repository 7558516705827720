"""The time is the database's."""

import pytest
from django.db import connection

from scheduling.clock import time_at, time_now
from tests.scheduling.factories import make_schedule


@pytest.mark.django_db
def test_it_is_the_databases_time() -> None:
    schedule = make_schedule()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        before = cursor.fetchone()[0]
    assert before <= time_at(schedule.id)
    assert before <= time_now()
