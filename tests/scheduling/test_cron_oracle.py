"""The cron engine against a watched clock: wherever it changes, and wherever chance leads."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from scheduling import cron
from scheduling.cron_zones import zone_names
from scheduling.errors import InvalidCron
from tests.scheduling import oracle

ALWAYS = (
    "Pacific/Chatham",
    "Australia/Lord_Howe",
    "America/Nuuk",
    "Africa/Cairo",
    "America/New_York",
)
EXPRESSIONS = (
    "* * * * *",
    "*/10 * * * *",
    "7 * * * *",
    "0 */2 * * *",
    "*/15 0-3 * * *",
    "* 2 * * *",
    "30 2 * * *",
    "30 1 * * *",
    "45 1 * * *",
    "0,30 1,2,3 * * *",
    "0 0 * * *",
    "59 23 * * 6",
    "15 2 1-15 * 0",
    "0 3 */2 * 1,5",
)
_THIS_YEAR = datetime.now(UTC).year
#: From the beginning of this year, so that the two years to come are all in.
YEARS = range(_THIS_YEAR, _THIS_YEAR + 3)


def differences(zone: str, change: datetime) -> list[tuple[str, datetime, str]]:
    """Expressions that fire otherwise than the watched clock says within 30 hours of a change."""
    watched = oracle.around(zone, change)
    found = []
    for expression in EXPRESSIONS:
        expected = list(oracle.fires(expression, watched))
        start = watched[0][0] - timedelta(microseconds=1)
        fires = cron.next_fires(expression, zone, start, len(expected) + 1)
        if [f for f in fires if f <= watched[-1][0]] != expected:
            found.append((zone, change, expression))
    return found


def test_one_zone_of_every_pattern_of_changes_fires_as_the_clock_shows() -> None:
    chosen = {zones[0] for zones in oracle.patterns(YEARS).values()} | set(ALWAYS)
    pairs = [(zone, change) for zone in sorted(chosen) for change in oracle.changes(zone, YEARS)]
    assert len(pairs) * len(EXPRESSIONS) >= 1000
    assert [d for zone, change in pairs for d in differences(zone, change)] == []


@pytest.mark.soak
def test_every_zone_that_changes_fires_as_the_clock_shows() -> None:
    zones = [zone for zones in oracle.patterns(YEARS).values() for zone in zones]
    found = [
        difference
        for zone in zones
        for change in oracle.changes(zone, YEARS)
        for difference in differences(zone, change)
    ]
    assert found == []


def field(low: int, high: int, names: tuple[str, ...] = ()) -> st.SearchStrategy[str]:
    """A plain field: numbers, names, ranges (over the end too), steps and lists."""
    number = st.integers(low, high).map(str)
    value = st.one_of(number, st.sampled_from(names)) if names else number
    step = st.integers(1, high - low + 1)
    spans = st.tuples(value, value).map("-".join)
    items = [
        st.just("*"),
        value,
        spans,
        st.builds(lambda s, n: f"{s}/{n}", st.one_of(st.just("*"), spans), step),
    ]
    if not names or high == 12:
        items.append(st.builds(lambda v, n: f"{v}/{n}", number, step))
    item = st.one_of(*items)
    return st.one_of(st.just("*"), item, st.lists(value, min_size=2, max_size=4).map(",".join))


MONTH_NAMES = ("JAN", "feb", "MAR", "DEC")
WEEKDAY_NAMES = ("SUN", "mon", "FRI", "SAT")
MINUTE, HOUR = field(0, 59), field(0, 23)
DAY = st.one_of(
    field(1, 31),
    st.just("L"),
    st.integers(1, 31).map(lambda n: f"{n}W"),
    st.integers(1, 31).map(lambda n: f"{n},L"),
)
MONTH = st.one_of(st.just("*"), field(1, 12, MONTH_NAMES))
WEEKDAY = st.one_of(
    field(0, 7, WEEKDAY_NAMES),
    st.builds(lambda w, n: f"{w}#{n}", st.integers(0, 7), st.integers(1, 5)),
    st.integers(0, 7).map(lambda w: f"{w}L"),
)
UNIX = st.tuples(MINUTE, HOUR, DAY, MONTH, WEEKDAY).map(" ".join)
SPRING = st.tuples(field(0, 59), MINUTE, HOUR, DAY, MONTH, WEEKDAY).map(" ".join)
ANY = st.one_of(UNIX, SPRING)
ZONE = st.one_of(st.sampled_from(ALWAYS), st.sampled_from(sorted(zone_names())))
MOMENT = st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1)).map(
    lambda d: d.replace(tzinfo=UTC)
)
#: How far the oracle looks, days, and how many fires are compared.
DAYS, FIRES = 400, 200


def agree(expression: str, zone: str, after: datetime) -> None:
    try:
        found = cron.next_fires(expression, zone, after, FIRES)
    except InvalidCron:
        return
    assert all(earlier < later for earlier, later in pairwise([after, *found]))
    until = after + timedelta(days=DAYS)
    expected = oracle.long_fires(expression, zone, after, DAYS, FIRES)
    assert [fire for fire in found if fire <= until] == expected


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ANY, ZONE, MOMENT)
@example("30 2 * * *", "America/New_York", datetime(2026, 3, 1, tzinfo=UTC))
@example("30 1 * * *", "America/New_York", datetime(2026, 11, 1, 6, 15, tzinfo=UTC))
@example("10,20 45 1,2 * * *", "Australia/Lord_Howe", datetime(2026, 4, 1, tzinfo=UTC))
@example("0 3-3 * * *", "Pacific/Chatham", datetime(2024, 4, 1, tzinfo=UTC))
@example("30 22-2/3 15W * *", "Pacific/Chatham", datetime(2026, 4, 1, tzinfo=UTC))
def test_any_accepted_expression_fires_as_the_clock_shows(
    expression: str, zone: str, after: datetime
) -> None:
    agree(expression, zone, after)


@pytest.mark.soak
@settings(max_examples=5000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ANY, ZONE, MOMENT)
def test_very_many_expressions_fire_as_the_clock_shows(
    expression: str, zone: str, after: datetime
) -> None:
    agree(expression, zone, after)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.text(max_size=30), st.from_regex(r"[0-9*,/\-LW#?RH A-Z]{1,40}", fullmatch=True))
)
def test_any_text_is_an_expression_or_refused_as_one(text: str) -> None:
    try:
        stored = cron.canonical(text)
    except InvalidCron as error:
        assert error.field == "cron"
    else:
        assert cron.canonical(stored) == stored
        assert cron.describe(stored)
