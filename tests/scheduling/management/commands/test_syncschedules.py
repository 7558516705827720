"""`manage.py syncschedules`: what it prints and how it ends."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from scheduling.models import JobSchedule
from tests.scheduling.factories import NOOP

pytestmark = pytest.mark.django_db

TEXT = f"""
schedules:
  - name: nightly
    task: {NOOP}
    cron: 0 3 * * *
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "schedules.yaml"
    path.write_text(TEXT)
    return path


def run(file: Path, *arguments: str) -> str:
    out = StringIO()
    call_command("syncschedules", str(file), *arguments, stdout=out)
    return out.getvalue()


def test_the_differences_are_told_and_carried_out(file: Path) -> None:
    assert "+ create nightly" in run(file)
    assert JobSchedule.objects.get().cron == "0 3 * * *"
    assert run(file) == "Everything is as the file says.\n"
    file.write_text(TEXT.replace("0 3", "0 4"))
    assert '    cron: "0 3 * * *" -> "0 4 * * *"' in run(file)


def test_a_check_stores_nothing_and_ends_with_1_while_something_differs(file: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        run(file, "--check")
    assert ended.value.code == 1
    assert not JobSchedule.objects.exists()
    run(file)
    run(file, "--check")


@pytest.mark.parametrize("text", ["{", TEXT.replace("0 3", "99 3"), "schedules: [{name: a}]"])
def test_a_file_that_cannot_be_carried_out_ends_with_2(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(CommandError) as refused:
        run(file)
    assert refused.value.returncode == 2
    assert not JobSchedule.objects.exists()


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        run(tmp_path / "none.yaml")
