"""Importing crontabs: what each line becomes, for whom it runs, and nothing twice."""

import os
import pwd
from pathlib import Path

import pytest

from controlplane.actors import SYSTEM, Actor
from jobs.models import Job
from scheduling import crontab, host, run_as
from scheduling.actions import delete_schedule, pause_schedule, run_now
from scheduling.cron_zones import zone_names
from scheduling.crontab import ImportedLine, import_crontab
from scheduling.imported import NAME_LENGTH
from scheduling.lifecycle import ScheduleStatus
from scheduling.models import JobSchedule
from tests.scheduling.conftest import Options

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def commands_allowed(options: Options) -> None:
    options(run_command_enabled=True)


@pytest.fixture
def as_ordinary_user(monkeypatch: pytest.MonkeyPatch) -> str:
    """This process seems to belong to the user `nobody`."""
    monkeypatch.setattr(os, "geteuid", lambda: pwd.getpwnam("nobody").pw_uid)
    return "nobody"


def load(text: str, *, enable: bool = True, system: bool | None = False) -> list[ImportedLine]:
    return import_crontab(text, source="test", actor=SYSTEM, enable=enable, system=system)


def schedule_of(line: ImportedLine) -> JobSchedule:
    assert line.schedule is not None
    line.schedule.refresh_from_db()
    return line.schedule


def test_a_line_becomes_a_schedule_of_run_command() -> None:
    (line,) = load("CRON_TZ=Europe/Berlin\nX=1\n# Count\n*/5 * * * * wc -l%a%b\n")
    schedule = schedule_of(line)
    assert (line.status, line.line_number) == ("created", 4)
    assert (schedule.cron, schedule.timezone) == ("*/5 * * * *", "Europe/Berlin")
    assert (schedule.name, schedule.task) == ("wc -l", crontab.TASK)
    assert schedule.schedule_status == ScheduleStatus.ENABLED
    assert schedule.kwargs["shell"] == "wc -l"
    assert (schedule.kwargs["stdin"], schedule.kwargs["env"]) == ("a\nb\n", {"X": "1"})
    assert "run_as" not in schedule.kwargs


def test_another_shell_is_honoured() -> None:
    (line,) = load("SHELL=/bin/bash\n@daily [[ 1 ]]\n")
    assert schedule_of(line).kwargs["argv"] == ["/bin/bash", "-c", "[[ 1 ]]"]


def test_without_enable_lines_are_paused_and_can_be_run_by_hand() -> None:
    (line,) = load("* * * * * true\n", enable=False)
    schedule = schedule_of(line)
    assert (schedule.schedule_status, schedule.next_run_at) == (ScheduleStatus.PAUSED, None)
    run_now(schedule_id=schedule.id, actor=SYSTEM)
    assert Job.objects.get().kwargs["shell"] == "true"


def test_repeating_an_import_makes_nothing_twice() -> None:
    text = "* * * * * true\n* * * * * true\n@hourly other\n"
    first = load(text)
    again = load(text)
    assert [line.status for line in again] == ["unchanged"] * 3
    assert [schedule_of(a).id for a in first] == [schedule_of(b).id for b in again]
    assert sorted(JobSchedule.objects.values_list("name", flat=True)) == [
        "other",
        "true",
        "true (2)",
    ]


def test_a_changed_surrounding_updates_the_same_schedule() -> None:
    load("* * * * * true\n")
    (line,) = load("CRON_TZ=Asia/Tokyo\n* * * * * true\n")
    assert (line.status, schedule_of(line).timezone) == ("updated", "Asia/Tokyo")
    assert JobSchedule.objects.count() == 1


def test_a_line_taken_out_of_the_file_is_paused_and_comes_back_with_it(tmp_path: Path) -> None:
    file = tmp_path / "crontab"

    def load_file(text: str) -> list[ImportedLine]:
        file.write_text(text, encoding="utf-8")
        return import_crontab(text, source=str(file), actor=SYSTEM, enable=True, system=False)

    both = "* * * * * one\n* * * * * two\n"
    load_file(both)
    gone, kept = load_file("* * * * * one\n")
    assert (gone.status, gone.text, kept.status) == ("gone", "two", "unchanged")
    assert schedule_of(gone).schedule_status == ScheduleStatus.PAUSED
    assert schedule_of(gone).status_reason == crontab.GONE
    assert schedule_of(kept).schedule_status == ScheduleStatus.ENABLED
    (again,) = [line for line in load_file(both) if line.text.endswith("two")]
    assert schedule_of(again).schedule_status == ScheduleStatus.ENABLED


def test_what_is_piped_in_takes_nothing_away() -> None:
    (first,) = load("* * * * * one\n")
    load("* * * * * two\n")
    assert schedule_of(first).schedule_status == ScheduleStatus.ENABLED


def test_enabling_later_enables_what_the_import_left_paused() -> None:
    load("* * * * * true\n", enable=False)
    (line,) = load("* * * * * true\n")
    assert schedule_of(line).schedule_status == ScheduleStatus.ENABLED


def test_what_a_person_paused_stays_paused(operator_actor: Actor) -> None:
    (line,) = load("* * * * * true\n")
    pause_schedule(schedule_id=schedule_of(line).id, actor=operator_actor)
    (again,) = load("* * * * * true\n")
    assert schedule_of(again).schedule_status == ScheduleStatus.PAUSED


def test_what_a_person_deleted_stays_away_until_it_is_named() -> None:
    (line,) = load("* * * * * true\n", enable=False)
    delete_schedule(schedule_id=schedule_of(line).id, actor=SYSTEM)
    (refused,) = load("* * * * * true\n", enable=False)
    assert (refused.status, refused.schedule) == ("refused", None)
    (line,) = load("* * * * * true\n")
    assert line.status == "created"


def test_bad_lines_say_why_and_the_others_are_imported() -> None:
    lines = load("@reboot a\n61 * * * * b\nMAILTO=x\n0 0 31 2 * c\nCRON_TZ=Nowhere\n* * * * * d\n")
    assert [line.status for line in lines] == [
        "skipped",
        "refused",
        "ignored",
        "refused",
        "refused",
    ]
    assert "minute: 61" in lines[1].reason
    assert "never fires" in lines[3].reason
    assert "Nowhere" in lines[4].reason
    (line,) = load("61 * * * * b\n* * * * * fine\n")[1:]
    assert line.status == "created"


def test_where_commands_are_switched_off_nothing_is_imported(options: Options) -> None:
    options(run_command_enabled=False)
    (line,) = load("* * * * * true\n")
    assert line.status == "refused"
    assert "RUN_COMMAND_ENABLED" in line.reason


def test_a_line_for_this_user_runs_as_it_is(as_ordinary_user: str) -> None:
    (line,) = load(f"* * * * * {as_ordinary_user} true\n", system=True)
    schedule = schedule_of(line)
    assert schedule.schedule_status == ScheduleStatus.ENABLED
    assert "run_as" not in schedule.kwargs


def test_a_line_for_root_waits_when_this_is_not_root(as_ordinary_user: str) -> None:
    (line,) = load("* * * * * root true\n", system=True)
    schedule = schedule_of(line)
    assert schedule.schedule_status == ScheduleStatus.PAUSED
    assert schedule.kwargs["run_as"] == "root"
    assert line.reason == schedule.status_reason
    assert "only root may run it so" in line.reason
    assert as_ordinary_user in line.reason


def test_root_runs_a_line_as_the_user_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    line, missing = load("* * * * * nobody true\n* * * * * ghost true\n", system=True)
    assert schedule_of(line).kwargs["run_as"] == "nobody"
    assert schedule_of(line).schedule_status == ScheduleStatus.ENABLED
    assert schedule_of(missing).schedule_status == ScheduleStatus.PAUSED
    assert "no user ghost" in missing.reason


def test_a_file_of_the_spool_belongs_to_the_user_it_is_named_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_ordinary_user: str
) -> None:
    monkeypatch.setattr(host, "_SPOOLS", (tmp_path,))
    (line,) = import_crontab(
        "* * * * * true\n", source=str(tmp_path / "root"), actor=SYSTEM, enable=True, system=True
    )
    assert schedule_of(line).schedule_status == ScheduleStatus.PAUSED
    assert run_as.runner_for("root").obstacle in line.reason


def test_the_user_field_is_found_out() -> None:
    (line,) = load("* * * * * root true\n", system=None)
    assert line.schedule is not None and line.schedule.kwargs["shell"] == "true"


def test_the_name_is_short_and_printable() -> None:
    (line,) = load(f"* * * * * echo\t{'x' * 100}\n")
    name = schedule_of(line).name
    assert len(name) == NAME_LENGTH
    assert name.startswith("echo x") and name.endswith("…")


def test_a_user_without_the_right_imports_nothing(user_actor: Actor) -> None:
    (line,) = import_crontab(
        "* * * * * true\n", source="page", actor=user_actor, enable=True, system=False
    )
    assert line.status == "refused"
    assert not JobSchedule.objects.exists()


def test_system_crontabs_are_those_that_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("backup", "backup.dpkg-old", ".placeholder", "notes~"):
        (tmp_path / name).write_text("* * * * * root true\n")
    monkeypatch.setattr(crontab, "SYSTEM_CRONTAB", tmp_path / "none")
    monkeypatch.setattr(crontab, "SYSTEM_FOLDERS", (tmp_path, tmp_path / "missing"))
    assert crontab.readable_system_crontabs() == [tmp_path / "backup"]


def test_the_machine_has_a_zone_that_schedules_know() -> None:
    assert host.machine_zone() in zone_names()
