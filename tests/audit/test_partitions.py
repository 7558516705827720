"""Monthly partitions: present, made once, and able to take over from the default partition."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime

import pytest
from django.db import connection

from audit import partitions
from audit.models import AuditEvent


def attached() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = %s::regclass",
            [partitions.TABLE],
        )
        return {name for (name,) in cursor.fetchall()}


def months_from_now(count: int) -> date:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => %s)",
            [count],
        )
        moment: datetime = cursor.fetchone()[0]
        return moment.date()


def partition_of(event_id: int) -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT tableoid::regclass::text FROM {partitions.TABLE} WHERE id = %s", [event_id]
        )
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


def event_in(month: date) -> int:
    """The id of an event of that month, by a statement that may set the time."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {partitions.TABLE} (event_type, target_type, occurred_at) "
            "VALUES ('JOB_CREATED', 'job', %s::timestamp AT TIME ZONE 'UTC') RETURNING id",
            [month],
        )
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


def test_migration_made_this_month_and_the_next_two(db: None) -> None:
    names = {partitions.partition_name(months_from_now(n)) for n in range(3)}
    assert names | {partitions.DEFAULT_PARTITION} <= attached()


def test_nothing_is_made_twice(db: None) -> None:
    before = attached()
    assert partitions.ensure_partitions() == []
    assert attached() == before


def test_further_months_are_made_when_asked_for(db: None) -> None:
    wanted = partitions.partition_name(months_from_now(4))
    assert wanted in partitions.ensure_partitions(4)
    assert wanted in attached()
    assert partition_of(event_in(months_from_now(4))) == wanted


def test_december_is_followed_by_january(db: None) -> None:
    event_in(date(2001, 12, 31))
    assert partitions.ensure_partitions() == ["audit_auditevent_y2001m12"]
    assert partition_of(event_in(date(2001, 12, 31))) == "audit_auditevent_y2001m12"
    assert partition_of(event_in(date(2002, 1, 1))) == partitions.DEFAULT_PARTITION


def test_bounds_are_those_of_utc_whatever_the_session_thinks(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL TIME ZONE 'Pacific/Auckland'")
    event_in(date(2001, 3, 1))
    partitions.ensure_partitions()
    assert partition_of(event_in(date(2001, 3, 1))) == "audit_auditevent_y2001m03"
    assert partition_of(event_in(date(2001, 4, 1))) == partitions.DEFAULT_PARTITION


def test_rows_of_the_default_partition_move_to_their_month(db: None) -> None:
    ids = [event_in(date(2001, 5, 1)), event_in(date(2001, 5, 31)), event_in(date(2001, 7, 1))]
    assert {partition_of(id_) for id_ in ids} == {partitions.DEFAULT_PARTITION}
    made = partitions.ensure_partitions()
    assert made == ["audit_auditevent_y2001m05", "audit_auditevent_y2001m07"]
    assert [partition_of(id_) for id_ in ids] == [made[0], made[0], made[1]]
    assert partition_of(event_in(date(1999, 1, 1))) == partitions.DEFAULT_PARTITION


def test_ids_go_on_after_the_move(db: None) -> None:
    first = event_in(date(2001, 5, 1))
    partitions.ensure_partitions()
    later = AuditEvent.objects.bulk_create(
        [AuditEvent(event_type="JOB_CREATED", target_type="job") for _ in range(3)]
    )
    assert [event.pk for event in later] == [first + 1, first + 2, first + 3]


@pytest.mark.parametrize("month", [date(2001, 5, 1), None])
def test_two_at_once_do_the_work_once(transactional_db: None, month: date | None) -> None:
    if month:
        event_in(month)
    months_ahead = 2 if month else 3
    drop = [partitions.partition_name(month or months_from_now(3))]

    def upkeep(_: int) -> list[str]:
        try:
            return partitions.ensure_partitions(months_ahead)
        finally:
            connection.close()

    try:
        with ThreadPoolExecutor(4) as threads:
            made = [name for names in threads.map(upkeep, range(4)) for name in names]
        assert made == drop
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE {drop[0]}")


def test_a_busy_table_means_another_time(transactional_db: None) -> None:
    """Rows keep coming in meanwhile, so upkeep must not queue before them for long."""
    wanted = months_from_now(5)

    def upkeep(_: int) -> list[str]:
        try:
            return partitions.ensure_partitions(5)
        finally:
            connection.close()

    with connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(f"LOCK TABLE {partitions.DEFAULT_PARTITION} IN ACCESS SHARE MODE")
        with ThreadPoolExecutor(1) as threads:
            assert list(threads.map(upkeep, [0])) == [[]]
        cursor.execute("ROLLBACK")
    assert partitions.partition_name(wanted) not in attached()
