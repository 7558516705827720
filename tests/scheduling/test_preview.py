"""What a person is shown of times before they are saved."""

from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError

import pytest

from scheduling import preview
from scheduling.errors import InvalidCron, InvalidZone
from scheduling.preview import RUNS, preview_of, zone_data
from scheduling.times import Times

NOW = datetime(2027, 3, 12, tzinfo=UTC)


def test_words_runs_by_both_clocks_and_the_change_ahead() -> None:
    shown = preview_of(Times(cron="30 2 * * *", timezone="America/New_York"), NOW)
    assert shown.words == "At 02:30"
    assert [f"{run.wall:%d %H:%M} {run.abbreviation}" for run in shown.runs] == [
        "12 02:30 EST",
        "13 02:30 EST",
        "14 03:00 EDT",
        "15 02:30 EDT",
        "16 02:30 EDT",
    ]
    assert [bool(run.note) for run in shown.runs] == [False, False, True, False, False]
    assert [run.instant.hour for run in shown.runs] == [7, 7, 7, 6, 6]
    assert len(shown.changes) == 1 and not shown.is_complete


def test_the_last_runs_are_told_to_be_the_last() -> None:
    once = preview_of(Times(run_at=NOW + timedelta(days=1)), NOW)
    assert (len(once.runs), once.is_complete) == (1, True)
    ends = Times(cron="0 0 * * *", ends_at=NOW + timedelta(days=RUNS))
    assert (len(preview_of(ends, NOW).runs), preview_of(ends, NOW).is_complete) == (RUNS, True)
    over = Times(cron="0 0 * * *", ends_at=NOW)
    assert (preview_of(over, NOW).runs, preview_of(over, NOW).changes) == ([], [])


def test_changes_after_the_end_are_not_told() -> None:
    times = Times(cron="30 2 * * *", timezone="America/New_York", ends_at=NOW + timedelta(days=1))
    assert preview_of(times, NOW).changes == []


def test_bad_times_are_refused() -> None:
    with pytest.raises(InvalidCron):
        preview_of(Times(cron="61 * * * *"), NOW)
    with pytest.raises(InvalidZone):
        preview_of(Times(cron="* * * * *", timezone="Mars/Olympus"), NOW)


def test_the_zone_data_in_use_has_an_edition(monkeypatch: pytest.MonkeyPatch) -> None:
    assert zone_data()
    monkeypatch.setattr(preview, "TZPATH", ())
    assert zone_data().startswith("20")  # the package's
    monkeypatch.setattr(preview, "version", _missing)
    assert zone_data() == ""


def _missing(name: str) -> str:
    raise PackageNotFoundError(name)
