"""The query string of the audit list becomes criteria, or an error of the field at fault."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import User
from audit.filters import AuditFilter
from audit.queries import SYSTEM, Criteria, history


def criteria(**parameters: str) -> Criteria:
    wanted = AuditFilter(parameters)
    assert wanted.is_valid(), wanted.errors
    return wanted.criteria()


def test_nothing_asked_is_no_criterion() -> None:
    assert criteria() == Criteria()
    assert criteria(event_type="", actor=" ", target_id="", since="") == Criteria()


def test_every_field_becomes_a_criterion(user: User) -> None:
    assert criteria(
        event_type="JOB_CREATED",
        actor="USER@example.com ",
        target_type="job",
        target_id="7",
        since="2026-01-31T10:00",
        until="2026-02-01 00:00:00Z",
    ) == Criteria(
        event_type="JOB_CREATED",
        actor=user.pk,
        target_type="job",
        target_id=7,
        since=datetime(2026, 1, 31, 10, tzinfo=UTC),
        until=datetime(2026, 2, 1, tzinfo=UTC),
    )


def test_an_actor_may_be_an_id_or_the_machine() -> None:
    assert criteria(actor="12").actor == 12
    assert criteria(actor="System").actor == SYSTEM


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("event_type", "JOB_VANISHED"),
        ("event_type", "\x00"),
        ("actor", "nobody@example.com"),
        ("actor", "0"),
        ("actor", "9" * 19),
        ("actor", "9" * 250),
        ("actor", "²"),
        ("actor", "a" * 255),
        ("actor", "a\x00b"),
        ("target_type", "planet"),
        ("target_id", "seven"),
        ("target_id", "0"),
        ("target_id", "-1"),
        ("target_id", "1.5"),
        ("target_id", "9223372036854775808"),
        ("target_id", "9" * 5000),
        ("since", "yesterday"),
        ("since", "2026-02-30T00:00"),
        ("until", "2026-13-01"),
        ("until", "99999-01-01T00:00"),
        ("until", "\x00"),
    ],
)
def test_a_bad_value_is_an_error_of_its_field(db: None, field: str, value: str) -> None:
    wanted = AuditFilter({field: value})
    assert not wanted.is_valid()
    assert list(wanted.errors) == [field]


def test_the_end_must_be_later_than_the_beginning() -> None:
    wanted = AuditFilter({"since": "2026-02-01T00:00", "until": "2026-02-01T00:00"})
    assert not wanted.is_valid()
    assert list(wanted.errors) == ["until"]


@pytest.mark.parametrize("moment", ["1970-01-01T00:00:00-23:59", "2026-01-01T00:00:00+23:59"])
def test_an_odd_offset_is_brought_to_utc(moment: str, db: None) -> None:
    wanted = AuditFilter({"since": moment})
    assert wanted.is_valid()
    since = wanted.criteria().since
    assert since is not None
    assert since.utcoffset() == timedelta(0)
    assert list(history(wanted.criteria())) == []


@pytest.mark.parametrize(
    ("moment", "year"), [("0001-01-01T00:00:00+23:59", 1), ("9999-12-31T23:59:59-23:59", 9999)]
)
def test_a_moment_beyond_all_years_is_at_their_edge(moment: str, year: int) -> None:
    since = criteria(since=moment).since
    assert since is not None
    assert since.year == year
