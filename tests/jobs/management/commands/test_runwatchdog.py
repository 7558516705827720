"""`runwatchdog` runs a watchdog, once if asked; what it does is tried in tests/processes."""

import pytest
from django.core.management import call_command

from jobs.management.commands import runwatchdog


@pytest.mark.parametrize(("arguments", "once"), [([], False), (["--once"], True)])
def test_it_runs_a_watchdog_and_ends_with_its_exit_code(
    arguments: list[str], once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    class FakeWatchdog:
        def run(self, *, once: bool) -> int:
            asked.append(once)
            return 1

    monkeypatch.setattr(runwatchdog, "Watchdog", FakeWatchdog)
    with pytest.raises(SystemExit) as ended:
        call_command("runwatchdog", *arguments)
    assert (ended.value.code, asked) == (1, [once])
