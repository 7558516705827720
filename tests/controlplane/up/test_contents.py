"""What an installation holds is made once and told in lines that a person can act on."""

from pathlib import Path

import pytest

from controlplane.up import contents
from controlplane.up.errors import UpError
from jobs.models import Job
from scheduling import crontab
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule

HEALTH = "http://127.0.0.1:8000/healthz"


class Said(list[tuple[str, str]]):
    """Takes what is said."""

    def __call__(self, title: str, line: str) -> None:
        self.append((title, line))


@pytest.fixture
def said() -> Said:
    return Said()


@pytest.fixture(autouse=True)
def local_options(settings: pytest.FixtureRequest) -> None:
    """Commands and requests are allowed, as a local set-up allows them."""
    allowed = {"run_command_enabled": True, "http_request_enabled": True}
    commands = {"management_commands_allowed": ("clearsessions",)}
    settings.CONTROL_PLANE = {**settings.CONTROL_PLANE, **allowed, **commands}  # type: ignore[attr-defined]


@pytest.mark.django_db
def test_the_password_is_told_at_the_first_start_only(tmp_path: Path, said: Said) -> None:
    contents.prepare_admin(tmp_path, said)
    password = (tmp_path / contents.PASSWORD_FILE).read_text(encoding="utf-8").strip()
    assert password in said[0][1]
    contents.prepare_admin(tmp_path, said)
    assert password not in said[1][1]
    assert str(tmp_path / contents.PASSWORD_FILE) in said[1][1]


@pytest.mark.django_db
def test_a_lost_password_file_is_not_promised(tmp_path: Path, said: Said) -> None:
    contents.prepare_admin(tmp_path, said)
    (tmp_path / contents.PASSWORD_FILE).unlink()
    contents.prepare_admin(tmp_path, said)
    assert said[1] == ("Administrator", contents.ADMIN_EMAIL)


@pytest.mark.django_db
def test_a_named_crontab_is_enabled_and_its_lines_are_told(tmp_path: Path, said: Said) -> None:
    path = tmp_path / "crontab"
    text = "MAILTO=root\n* * * * * true\n61 * * * * false\n"
    path.write_text(text, encoding="utf-8")
    contents.import_named_crontab(path, text, said)
    assert JobSchedule.objects.get().schedule_status == ScheduleStatus.ENABLED
    assert said[0] == ("Crontab", f"{path}: 1 enabled, 1 refused")
    assert [line.split(":")[0] for _, line in said[1:]] == ["line 1 ignored", "line 3 refused"]


@pytest.mark.django_db
def test_the_machines_own_crontabs_are_only_looked_at(
    tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, broken = tmp_path / "own", tmp_path / "broken"
    path.write_text("* * * * * root true\n", encoding="utf-8")
    broken.write_bytes(b"\xff\xfe")
    monkeypatch.setattr(crontab, "readable_system_crontabs", lambda: [broken, path])
    contents.import_system_crontabs(said)
    assert JobSchedule.objects.get().schedule_status == ScheduleStatus.PAUSED
    assert "is not a crontab" in said[0][1]
    assert said[1:] == [("Crontab", f"{path}: 1 paused")]


@pytest.mark.django_db
def test_first_runs_start_at_once_and_only_once(said: Said) -> None:
    schedules = contents.prepare_schedules(HEALTH, said)
    contents.start_first_runs(schedules, said)
    assert Job.objects.count() == len(schedules) == 4
    contents.start_first_runs(schedules, said)
    assert Job.objects.count() == 4
    assert [title for title, _ in said] == ["Schedules"], "that they run already is no news"


@pytest.mark.django_db
def test_a_first_run_that_cannot_be_is_told(said: Said) -> None:
    schedules = contents.prepare_schedules(HEALTH, said)
    JobSchedule.objects.filter(id=schedules[0].id).update(task="gone.task")
    contents.start_first_runs(schedules, said)
    assert said[-1][1].startswith(f"{schedules[0].name} was not started: ")


def test_a_crontab_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UpError, match=r"Cannot read .*missing: No such file"):
        contents.read_crontab(tmp_path / "missing")
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff")
    with pytest.raises(UpError, match="binary is not a crontab"):
        contents.read_crontab(binary)
