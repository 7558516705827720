"""What the clock's changes do to an expression, told before they come."""

from datetime import UTC, datetime, timedelta

import pytest

from scheduling.cron import MAX_NAMED, explain_transitions, moved_to, next_fires
from scheduling.errors import InvalidCron, InvalidZone

NEW_YORK = "America/New_York"


@pytest.mark.parametrize(
    ("expression", "zone", "effects"),
    [
        (
            "30 2 * * *",
            NEW_YORK,
            [
                "02:30 does not exist on 2026-03-08: it fires at 03:00, "
                "the first moment after the gap."
            ],
        ),
        (
            "30 1 * * *",
            NEW_YORK,
            ["01:30 comes twice on 2026-11-01: it fires on the first pass only."],
        ),
        (
            "0,30 1,2 * * *",
            NEW_YORK,
            [
                "02:00, 02:30 do not exist on 2026-03-08: they fire once, together, at 03:00, "
                "the first moment after the gap.",
                "01:00, 01:30 come twice on 2026-11-01: they fire on the first pass only.",
            ],
        ),
        (
            "0/30 * * * *",
            "Australia/Lord_Howe",
            [
                "01:30 comes twice on 2026-04-05: it fires on both passes.",
                "02:00 does not exist on 2026-10-04: nothing fires for it.",
            ],
        ),
        (
            "30 0 * * *",
            "Africa/Cairo",
            [
                "00:30 does not exist on 2026-04-24: it fires at 01:00, "
                "the first moment after the gap."
            ],
        ),
        ("0 12 * * *", NEW_YORK, []),
        ("* * * * *", "Asia/Tokyo", []),
    ],
)
def test_each_change_that_matters_is_told_in_a_sentence(
    expression: str, zone: str, effects: list[str]
) -> None:
    expression = expression.replace("0/30", "0-59/30")
    assert [change.effect for change in explain_transitions(expression, zone, 2026)] == effects


def test_the_facts_are_there_beside_the_sentence() -> None:
    gap, fold = explain_transitions("*/10 * * * *", NEW_YORK, 2026)
    assert gap.instant == datetime(2026, 3, 8, 7, tzinfo=UTC)
    assert (gap.is_gap, fold.is_gap) == (True, False)
    assert (gap.wall_from, gap.wall_to) == (datetime(2026, 3, 8, 2), datetime(2026, 3, 8, 3))
    assert (fold.wall_from, fold.wall_to) == (datetime(2026, 11, 1, 1), datetime(2026, 11, 1, 2))
    assert (len(gap.named), gap.count) == (MAX_NAMED, 6)
    assert "and so on (6 times)" in gap.effect


def test_very_many_are_counted_up_to_a_bound() -> None:
    day = explain_transitions("* * * * * *", "Pacific/Apia", 2011)[-1]
    assert "more than 1000 times" in day.effect
    (day,) = explain_transitions("0 12 30 12 *", "Pacific/Apia", 2011)
    assert "it fires at 2011-12-31 00:00" in day.effect


@pytest.mark.parametrize(
    "zone", [NEW_YORK, "Australia/Lord_Howe", "Africa/Cairo", "Pacific/Chatham"]
)
@pytest.mark.parametrize(
    "expression", ["15 0-3 * * *", "15,45 1,2 * * *", "50 2 * * *", "0 0 * * *"]
)
def test_the_sentence_is_what_then_happens(expression: str, zone: str) -> None:
    for change in explain_transitions(expression, zone, 2026):
        stretch = change.wall_to - change.wall_from
        begin = change.instant - stretch - timedelta(microseconds=1)
        passes = [
            f for f in next_fires(expression, zone, begin, 200) if f < change.instant + stretch
        ]
        at_change = change.instant in passes
        if "nothing fires" in change.effect:
            assert not moved_to(expression, zone, change.instant)
        elif "first moment" in change.effect:
            assert at_change
            assert moved_to(expression, zone, change.instant) == list(change.named)
        elif "both passes" in change.effect:
            assert len([f for f in passes if f >= change.instant]) >= change.count
        else:
            assert len([f for f in passes if f < change.instant]) >= change.count
            assert not [f for f in passes if f >= change.instant]


def test_a_bad_expression_or_zone_is_refused() -> None:
    with pytest.raises(InvalidCron):
        explain_transitions("bad", NEW_YORK, 2026)
    with pytest.raises(InvalidZone):
        explain_transitions("@daily", "Mars/Olympus", 2026)


def test_only_a_fixed_time_in_a_gap_is_moved() -> None:
    end_of_gap = datetime(2026, 3, 8, 7, tzinfo=UTC)
    assert moved_to("30 2 * * *", NEW_YORK, end_of_gap) == [datetime(2026, 3, 8, 2, 30)]
    assert moved_to("0 3 * * *", NEW_YORK, end_of_gap) == []
    assert moved_to("*/30 * * * *", NEW_YORK, end_of_gap) == []
    assert moved_to("30 2 * * *", NEW_YORK, datetime(2026, 3, 9, 6, 30, tzinfo=UTC)) == []
    fold = datetime(2026, 11, 1, 6, tzinfo=UTC)
    assert moved_to("30 1 * * *", NEW_YORK, fold) == []
