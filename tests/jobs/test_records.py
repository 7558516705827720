from datetime import UTC, datetime, timedelta

from jobs.records import Claimed, Place

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def claimed(job_id: int, priority: int = 0, waited: int = 0) -> Claimed:
    queued = NOW - timedelta(seconds=waited)
    return Claimed(
        job_id, job_id, 1, "app.tasks.t", "default", priority, queued, "[]", "{}", 0, 4, None,
        suspect=False, keyed=False,
    )  # fmt: skip


def test_claims_stand_in_line_by_priority_then_age_then_id() -> None:
    urgent, old, first, second = line = [
        claimed(4, priority=5),
        claimed(3, waited=9),
        claimed(1),
        claimed(2),
    ]
    assert sorted([second, first, old, urgent], key=lambda one: one.rank) == line


def test_the_place_of_a_claim_is_where_the_next_may_begin() -> None:
    assert claimed(7, priority=-3).place == Place(-3, NOW, 7)
