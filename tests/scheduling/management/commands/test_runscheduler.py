"""`manage.py runscheduler`; as a real process it is tried in tests/scheduling/test_runtime.py."""

import pytest
from django.core.management import call_command

from scheduling.runtime import SchedulerLoop


@pytest.mark.parametrize("code", [0, 1])
def test_it_runs_the_loop_once_and_ends_with_its_code(
    monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    asked: list[bool] = []

    def run(_loop: SchedulerLoop, *, once: bool) -> int:
        asked.append(once)
        return code

    monkeypatch.setattr(SchedulerLoop, "run", run)
    if code:
        with pytest.raises(SystemExit) as end:
            call_command("runscheduler", "--once")
        assert end.value.code == 1
    else:
        call_command("runscheduler", "--once")
    assert asked == [True]
