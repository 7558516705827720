"""What this machine says about crontabs."""

from pathlib import Path

import pytest

from scheduling import host


@pytest.mark.parametrize(
    ("link", "file", "zone"),
    [
        ("usr/share/zoneinfo/Europe/Berlin", "Asia/Tokyo\n", "Europe/Berlin"),
        ("usr/share/zoneinfo/posix/Nowhere", "Asia/Tokyo\n", "Asia/Tokyo"),
        ("elsewhere", "Nowhere/Else\n", "UTC"),
        ("elsewhere", "", "UTC"),
    ],
)
def test_the_zone_is_that_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: str, file: str, zone: str
) -> None:
    localtime, timezone = tmp_path / "localtime", tmp_path / "timezone"
    localtime.symlink_to(tmp_path / link)
    if file:
        timezone.write_text(file)
    monkeypatch.setattr(host, "_LOCALTIME", localtime)
    monkeypatch.setattr(host, "_TIMEZONE", timezone)
    monkeypatch.setenv("TZ", "America/New_York")
    assert host.machine_zone() == zone


def test_files_of_the_spool_have_an_owner() -> None:
    assert host.crontab_owner("/var/spool/cron/crontabs/ann") == "ann"
    assert host.crontab_owner("/var/spool/cron/ann") == "ann"
    assert host.crontab_owner("/etc/cron.d/backup") == ""
    assert host.crontab_owner("-") == ""


def test_users_are_those_of_the_machine() -> None:
    assert "root" in host.user_names()
