"""`manage.py importcelerybeat`."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from scheduling.models import JobSchedule
from tests.scheduling.beat import DUMP
from tests.scheduling.factories import NOOP

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("importcelerybeat", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def dump(tmp_path: Path) -> str:
    path = tmp_path / "beat.json"
    path.write_text(DUMP)
    return str(path)


def test_it_shows_first_and_stores_when_told(dump: str) -> None:
    names = f"--map=shop.tasks.clean={NOOP}"
    text = run(dump, names)
    assert "Nothing is stored. Add --apply" in text
    assert "At 03:00" in text and "Every 90 seconds of elapsed time" in text
    assert not JobSchedule.objects.exists()
    run(dump, names, "--apply")
    assert JobSchedule.objects.count() == 3


def test_standard_input_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", StringIO(DUMP))
    assert "nightly" in run("-")


def test_what_cannot_be_read_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        run(str(tmp_path / "none"))
    with pytest.raises(CommandError, match="file"):
        run()
