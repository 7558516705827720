"""`manage.py importcrontab`."""

import re
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


def row(text: str, number: int) -> list[str]:
    """The cells of a line of the table, by the two spaces between them."""
    line = next(line for line in text.splitlines() if line.startswith(f"{number} "))
    return re.split(r" {2,}", line)


def test_without_being_told_it_shows_a_table_and_stores_nothing(file: str) -> None:
    text = run(file)
    assert text.splitlines()[0].split("  ")[0] == "Line"
    assert row(text, 2)[1:4] == ["created", "PAUSED", "echo hello"]
    assert row(text, 2)[4].startswith("* * * * * (")
    assert "@reboot is not supported" in row(text, 3)[-1]
    assert "Nothing is stored. Add --apply" in text
    assert not JobSchedule.objects.exists()


def test_lines_are_paused_unless_they_are_to_be_enabled(file: str) -> None:
    run(file, "--user", "--apply")
    assert JobSchedule.objects.get().schedule_status == "PAUSED"
    assert row(run(file, "--enable", "--user", "--apply"), 2)[1:3] == ["updated", "ENABLED"]
    assert row(run(file, "--enable", "--user", "--apply"), 2)[1:3] == ["unchanged", "ENABLED"]


def test_standard_input_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("* * * * * root true\n"))
    run("-", "--system", "--apply")
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
