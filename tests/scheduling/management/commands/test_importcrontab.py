"""`manage.py importcrontab`."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from scheduling.models import JobSchedule
from tests.scheduling.conftest import Options

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def commands_allowed(options: Options) -> None:
    options(run_command_enabled=True)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "crontab"
    path.write_text("# Say it\n* * * * * echo hello\n@reboot nothing\n")
    return str(path)


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("importcrontab", *arguments, stdout=out)
    return out.getvalue()


def test_a_dry_run_shows_and_stores_nothing(file: str) -> None:
    text = run(file, "--dry-run")
    assert "2: created PAUSED echo hello (imported; not enabled yet)" in text.splitlines()
    assert "3: skipped @reboot nothing (@reboot is not supported: it names no time)" in text
    assert not JobSchedule.objects.exists()


def test_lines_are_paused_unless_they_are_to_be_enabled(file: str) -> None:
    run(file, "--user")
    assert JobSchedule.objects.get().schedule_status == "PAUSED"
    assert "2: updated ENABLED echo hello" in run(file, "--enable", "--user")
    assert "2: unchanged ENABLED echo hello" in run(file, "--enable", "--user")


def test_standard_input_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("* * * * * root true\n"))
    run("-", "--system")
    assert JobSchedule.objects.get().kwargs["shell"] == "true"


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_one_clear_line(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "odd"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CommandError, match="cannot be read"):
        run(str(path))
