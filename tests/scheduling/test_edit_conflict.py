"""Three ways: what the form began with, what is stored now, what the person sent."""

import json

from scheduling.edit_conflict import conflict_of

BASE = {"name": "a", "queue": "", "priority": "", "version": "1"}


def test_others_changes_are_taken_and_ones_own_are_kept() -> None:
    current = {"name": "a", "queue": "bulk", "priority": 5, "version": 2, "base": "new"}
    submitted = {"name": "mine", "queue": "mail", "priority": "", "version": "1", "base": "old"}
    conflict = conflict_of(json.dumps(BASE), current, submitted)
    assert {field.name: field.clashes for field in conflict.changed} == {
        "queue": True,
        "priority": False,
    }
    assert conflict.merged == {
        "name": "mine",
        "queue": "mail",
        "priority": 5,
        "version": 2,
        "base": "new",
    }


def test_the_same_change_twice_is_none() -> None:
    current, submitted = {"queue": "mail", "version": 2}, {"queue": "mail", "version": "1"}
    assert conflict_of(json.dumps(BASE), current, submitted).changed == []


def test_line_ends_of_browsers_are_no_change() -> None:
    base = json.dumps({"description": "a\nb"})
    conflict = conflict_of(base, {"description": "c"}, {"description": "a\r\nb"})
    assert conflict.merged["description"] == "c"


def test_without_a_base_what_differs_is_the_persons_own() -> None:
    for base in ("", "[", "[1]", "[" * 9999):
        conflict = conflict_of(base, {"queue": "bulk"}, {"queue": "mail"})
        assert conflict.changed == []
        assert conflict.merged["queue"] == "mail"
