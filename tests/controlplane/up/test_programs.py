"""What runs, in which order it stops, and what it finds in its environment."""

import pytest

from controlplane.up import programs
from controlplane.up.address import Address

PLACE = Address("127.0.0.1", 8123)


def test_nothing_new_begins_while_the_rest_drains() -> None:
    names = [program.name for program in programs.programs(PLACE, once=False)]
    assert names == ["scheduler", "executor", "watchdog", "web"]


def test_once_nothing_fires_by_the_clock() -> None:
    names = [program.name for program in programs.programs(PLACE, once=True)]
    assert "scheduler" not in names
    assert {"executor", "watchdog", "web"} == set(names)


def test_all_are_gone_in_time_whatever_they_do() -> None:
    patience = sum(program.stop_seconds for program in programs.programs(PLACE, once=False))
    assert patience <= 8.5, "the database needs the rest of ten seconds"
    executor = programs.programs(PLACE, once=False)[1]
    assert executor.stop_seconds > programs.DRAIN_SECONDS + programs.KILL_SECONDS


def test_the_own_address_may_be_asked_and_called(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_REQUEST_ALLOWED_PRIVATE", "ALLOWED_HOSTS"):
        monkeypatch.delenv(name, raising=False)
    environment = programs.environment(PLACE)
    assert environment["HTTP_REQUEST_ALLOWED_PRIVATE"] == "127.0.0.1:8123"
    assert "127.0.0.1" in environment["ALLOWED_HOSTS"].split(",")
    assert environment["EXECUTOR_ENABLED"] == "true"


def test_what_somebody_set_on_purpose_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXECUTOR_ENABLED", "false")
    monkeypatch.setenv("SHUTDOWN_GRACE_SECONDS", "600")
    environment = programs.environment(PLACE)
    assert environment["EXECUTOR_ENABLED"] == "false"
    assert environment["SHUTDOWN_GRACE_SECONDS"] == str(programs.DRAIN_SECONDS)
