"""What the database itself refuses or does, whoever writes."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, connection, transaction

from jobs.models import Job
from scheduling.models import Firing, JobSchedule, TableStatistics
from tests.factories import make_user
from tests.scheduling.factories import make_schedule

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def make_firing(schedule: JobSchedule, **columns: object) -> Firing:
    return Firing.objects.create(
        schedule=schedule, **({"nominal_time": NOON, "outcome": "missed"} | columns)
    )


def test_a_time_has_one_firing_of_each_kind() -> None:
    schedule = make_schedule()
    make_firing(schedule)
    make_firing(schedule, kind="backfill")
    with pytest.raises(IntegrityError), transaction.atomic():
        make_firing(schedule)


@pytest.mark.parametrize("columns", [{"kind": "odd"}, {"outcome": "odd"}])
def test_kinds_and_outcomes_are_known(columns: dict[str, object]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        make_firing(make_schedule(), **columns)


def test_a_deleted_schedule_is_not_enabled() -> None:
    schedule = make_schedule()
    with pytest.raises(IntegrityError), transaction.atomic():
        JobSchedule.objects.filter(id=schedule.id).update(deleted_at=NOON)


def test_an_import_key_is_held_by_one_live_row() -> None:
    make_schedule("one", import_key="a")
    with pytest.raises(IntegrityError), transaction.atomic():
        make_schedule("two", import_key="a")


def test_deleting_rows_leaves_or_takes_along_what_it_should() -> None:
    owner = make_user("gone@example.com", "USER")
    schedule = make_schedule(owner=owner)
    job = Job.objects.create(task="a.b", queued_at=NOON)
    firing = make_firing(schedule, job=job, outcome="enqueued")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM jobs_job")
        cursor.execute("DELETE FROM accounts_user_groups")
        cursor.execute("DELETE FROM accounts_user")
    firing.refresh_from_db()
    schedule.refresh_from_db()
    assert (firing.job_id, schedule.owner_id) == (None, None)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM scheduling_jobschedule")
    assert not Firing.objects.exists()


def test_rows_have_short_names() -> None:
    schedule = make_schedule()
    assert (str(schedule), schedule.task_name) == ("nightly", "noop")
    assert str(make_firing(schedule)).endswith("missed")
    assert str(TableStatistics(relname="jobs_job")) == "jobs_job"
