"""Imports point one way: the contracts stand in pyproject.toml and hold."""

import tomllib

import pytest
from importlinter.cli import lint_imports

from tests.rules.tree import ROOT

CONTRACTS = {
    "Imports point one way",
    "Inside jobs, doors above runtime above actions above queue above models",
    "Inside scheduling, doors above the loop above actions above models",
    "Only actions and the runtime move jobs through the queue",
    "The core knows no web framework",
    "What a page shows is no part of the scheduler's dealings with jobs",
}


def test_every_contract_is_still_there() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {c["name"] for c in settings["tool"]["importlinter"]["contracts"]} == CONTRACTS


def test_every_contract_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    status = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert status == 0, capsys.readouterr().out
