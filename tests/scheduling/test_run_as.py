"""Whom a line runs as: never anybody else than it says."""

import os
import pwd

import pytest

from scheduling.run_as import runner_for

ROOT = pwd.getpwuid(0).pw_name


def be(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: number)


def test_a_line_without_a_user_runs_as_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    be(monkeypatch, 0)
    runner = runner_for("")
    assert (runner.run_as, runner.obstacle) == ("", "")
    assert runner.home == pwd.getpwuid(0).pw_dir


def test_root_may_become_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    be(monkeypatch, 0)
    assert (runner_for("nobody").run_as, runner_for("nobody").obstacle) == ("nobody", "")
    assert runner_for(ROOT).run_as == ""


def test_others_may_not(monkeypatch: pytest.MonkeyPatch) -> None:
    be(monkeypatch, pwd.getpwnam("nobody").pw_uid)
    assert runner_for("nobody").run_as == ""
    runner = runner_for(ROOT)
    assert runner.run_as == ROOT
    assert runner.obstacle == f"it is for {ROOT}, and only root may run it so; this is nobody"


@pytest.mark.parametrize("name", ["no-such-user", "a\x00b"])
def test_an_unknown_user_is_an_obstacle(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    be(monkeypatch, 0)
    assert "no user" in runner_for(name).obstacle


def test_a_process_without_a_name_is_told_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    be(monkeypatch, 54_321)
    assert runner_for("").home == ""
    assert "this is 54321" in runner_for(ROOT).obstacle
