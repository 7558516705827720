"""The query string of the audit list becomes criteria, or an error of the field at fault."""

from datetime import UTC, datetime

import pytest

from accounts.models import User
from audit.filters import AuditFilter
from audit.queries import SYSTEM, Criteria


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
