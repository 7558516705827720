"""Schedules as a file: what is read, what is refused and why, and that both formats come back."""

import json
from datetime import UTC, datetime

import pytest

from scheduling.errors import InvalidSchedule
from scheduling.schedule_file import MAX_SCHEDULES, read_file, written

GOOD = """
version: 1
source: billing
schedules:
  - name: nightly
    task: tests.sample_app.tasks.noop
    cron: 0 3 * * *
    timezone: Europe/Berlin
    starts_at: 2026-11-30T08:00:00Z
    enabled: true
  - name: by hand
    task: tests.sample_app.tasks.noop
"""


def test_a_file_names_its_source_and_its_schedules() -> None:
    file = read_file(GOOD)
    assert file.source == "billing"
    nightly, by_hand = file.entries
    assert nightly.values["cron"] == "0 3 * * *"
    assert nightly.values["starts_at"] == datetime(2026, 11, 30, 8, tzinfo=UTC)
    assert (nightly.enabled, by_hand.enabled) == (True, None)


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_what_is_written_is_read_again(form: str) -> None:
    entry = {"name": "ä \u2028 #", "task": "a.b", "kwargs": {"on": "12:30"}, "cron": "* * * * *"}
    (back,) = read_file(written([entry], "me", form)).entries
    assert (back.name, back.values["kwargs"]) == ("ä \u2028 #", {"on": "12:30"})
    if form == "json":
        json.loads(written([entry], "me", form))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "a list named schedules"),
        ("[1]", "a list named schedules"),
        ("schedules: {", "neither YAML nor JSON"),
        ("schedules: []\nowner: me", "has no owner"),
        ("schedules: []\nversion: 2", "version 1"),
        ("schedules: []\nsource: ''", "1 to 100"),
        ("schedules: [1]", "Schedule 1 of the file needs a name"),
        ("schedules: [{name: ' '}]", "needs a name"),
        ("schedules: [{name: a, crom: x}]", "a: a schedule has no crom"),
        ("schedules: [{name: a, enabled: 1}]", "true or false"),
        ("schedules: [{name: a, run_at: soon}]", "with its zone"),
        ("schedules: [{name: a, run_at: 2026-11-30 08:00:00}]", "with its zone"),
        ("schedules: [{name: a, kwargs: {day: 2026-11-30}}]", "quote it"),
        ("schedules: [{name: a}, {name: a}]", "two schedules named a"),
        ("schedules: [{name: a, cron: x, cron: y}]", "says cron twice"),
        ('{"schedules": [], "schedules": []}', "says schedules twice"),
        ("schedules: &x [{name: a, args: *x}]", "alias"),
        ("schedules: !!python/object/apply:os.system [true]", "neither YAML nor JSON"),
        ("[" * 5000, "neither YAML nor JSON"),
        ("a: \x00", "neither YAML nor JSON"),
    ],
)
def test_what_is_no_such_file_is_refused_with_the_reason(text: str, told: str) -> None:
    with pytest.raises(InvalidSchedule, match=told):
        read_file(text)


def test_a_file_has_an_end() -> None:
    rows = [{"name": str(number)} for number in range(MAX_SCHEDULES + 1)]
    with pytest.raises(InvalidSchedule, match="more than"):
        read_file(json.dumps({"schedules": rows}))
