import os
import pwd

import pytest

from jobs.errors import PermanentFailure
from jobs.tasks.command_user import CommandUser, command_user, environment_for

OWN = pwd.getpwuid(os.geteuid())


def test_without_a_name_the_command_runs_as_the_executor() -> None:
    user = command_user("")
    assert user == CommandUser(name=OWN.pw_name, home=OWN.pw_dir, login_shell=OWN.pw_shell)
    assert user.uid is None


def test_the_executors_own_name_switches_nothing() -> None:
    assert command_user(OWN.pw_name) == command_user("")


def test_an_unknown_user_is_refused() -> None:
    with pytest.raises(PermanentFailure, match="no user 'no-such-user'") as caught:
        command_user("no-such-user")
    assert caught.value.code == "no_such_user"


def test_root_becomes_another_user_with_that_users_groups_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nobody = pwd.getpwnam("nobody")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    user = command_user("nobody")
    assert (user.uid, user.gid) == (nobody.pw_uid, nobody.pw_gid)
    assert user.groups == tuple(os.getgrouplist("nobody", nobody.pw_gid))


def test_anybody_but_root_can_only_be_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 65_533)
    with pytest.raises(PermanentFailure, match="only an executor that runs as root can") as caught:
        command_user("nobody")
    assert caught.value.code == "run_as_refused"


def test_a_user_without_a_name_still_runs_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 65_533)
    assert command_user("") == CommandUser(name="65533", home="/", login_shell="/bin/sh")


def test_the_environment_holds_plain_variables_and_what_the_job_gives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {"PATH": "/mine", "LANG": "de_DE", "SECRET_KEY": "s", "TZ": "UTC"}.items():
        monkeypatch.setenv(name, value)
    for name in ("LC_ALL", "LC_CTYPE", "TMPDIR"):
        monkeypatch.delenv(name, raising=False)
    user = CommandUser(name="ann", home="/home/ann", login_shell="")
    assert environment_for(user, {"LANG": "fr_FR", "X": "y"}) == {
        "PATH": "/mine",
        "LANG": "fr_FR",
        "HOME": "/home/ann",
        "USER": "ann",
        "LOGNAME": "ann",
        "SHELL": "/bin/sh",
        "X": "y",
    }


def test_another_user_gets_neither_our_path_nor_our_temporary_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/home/somebody/bin")
    monkeypatch.setenv("TMPDIR", "/home/somebody/tmp")
    other = CommandUser(name="ann", home="/", login_shell="/bin/bash", uid=1, gid=1, groups=(1,))
    environment = environment_for(other, {})
    assert "/home/somebody" not in environment["PATH"]
    assert "TMPDIR" not in environment
    assert environment["SHELL"] == "/bin/bash"
