"""The documents say what the code does: generated pages are in step, links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rules.tree import ROOT, files, listing, relative

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")

#: The parts that every decision record has.
ADR_PARTS = ("Status", "Context", "Decision", "Consequences")


def test_generated_pages_are_in_step() -> None:
    done = subprocess.run(
        [sys.executable, ".ci/generate_docs.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_variable_is_explained() -> None:
    text = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    silent = [
        line for line in text.splitlines() if line.startswith("| `") and line.endswith("|  |")
    ]
    assert not silent, listing(silent)


def test_links_lead_somewhere() -> None:
    broken = [
        f"{relative(page)}: {target}"
        for page in files(".md")
        for target in LINK.findall(page.read_text(encoding="utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert not broken, listing(broken)


def test_files_that_the_documents_name_exist() -> None:
    """A path in back quotes, such as `jobs/queue.py`, is a promise."""
    path = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|sql|md|html|css|js|toml|yaml))(?::[^`]*)?`")
    missing = [
        f"{relative(page)}: {name}"
        for page in files(".md")
        for name in path.findall(page.read_text(encoding="utf-8"))
        if not (ROOT / name).exists() and "<" not in name
    ]
    assert not missing, listing(missing)


DECISIONS = sorted((ROOT / "docs" / "adr").glob("0*.md"))


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(path.name[:4]) for path in DECISIONS]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_has_its_parts_on_one_page(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    headings = re.findall(r"^## (\w+)$", text, re.MULTILINE)
    assert tuple(headings) == ADR_PARTS
    assert len(text.splitlines()) <= 60


def test_every_page_can_be_found_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    linked = {(ROOT / "docs" / target).resolve() for target in LINK.findall(index)}
    lost = [
        relative(page)
        for page in files(".md")
        if page.is_relative_to(ROOT / "docs") and page not in linked and page.name != "index.md"
    ]
    assert not lost, listing(lost)
