"""Schedulers are told of a change when it commits."""

import pytest
from django.db import connection, transaction

from controlplane.actors import SYSTEM
from scheduling.actions import pause_schedule, resume_schedule, update_schedule
from scheduling.wakeup import CHANNEL
from tests.scheduling.factories import make_schedule


@pytest.mark.django_db(transaction=True)
def test_each_change_is_told_once_it_commits() -> None:
    schedule = make_schedule()
    with connection.cursor() as cursor:
        cursor.execute(f"LISTEN {CHANNEL}")
    link = connection.connection
    assert link is not None
    with transaction.atomic():
        update_schedule(schedule_id=schedule.id, actor=SYSTEM, cron="@daily")
        assert list(link.notifies(timeout=0)) == []
    pause_schedule(schedule_id=schedule.id, actor=SYSTEM)
    resume_schedule(schedule_id=schedule.id, actor=SYSTEM)
    heard = [note.payload for note in link.notifies(timeout=1, stop_after=3)]
    with connection.cursor() as cursor:
        cursor.execute("UNLISTEN *")
    assert heard == [str(schedule.id)] * 3
