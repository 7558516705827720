from pathlib import Path

import pytest
from django.core.management import call_command

from bench import session
from bench.rows import ROWS


def test_an_unknown_row_is_named_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        call_command("bench", "drain", "drian")
    assert stopped.value.code == 2
    said = capsys.readouterr().out
    assert "drian" in said
    assert all(name in said for name in ROWS)


def test_at_least_one_round_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def run(var_dir: Path, *, rows: list[str], quick: bool, rounds: int) -> int:
        asked.append(rounds)
        return 0

    monkeypatch.setattr(session, "run", run)
    with pytest.raises(SystemExit):
        call_command("bench", "--rounds", "0")
    assert asked == [1]
