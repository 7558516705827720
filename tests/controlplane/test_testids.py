"""PM11: test ids are constants, each used in a template, and templates write no others."""

import re

from controlplane.testids import Element
from tests.rules.tree import ROOT, files, listing, product, relative

TEMPLATES = [path for path in files(".html") if path.is_relative_to(ROOT / "templates")]


def test_every_id_is_stable_and_unique() -> None:
    assert len({element.value for element in Element}) == len(Element)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)+", element.value) for element in Element)


def test_no_template_writes_an_id_of_its_own() -> None:
    found = [
        relative(path) for path in TEMPLATES if "data-testid" in path.read_text(encoding="utf-8")
    ]
    assert not found, listing(found)


def test_every_id_is_used() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES)
    text += "".join(m.text for m in product() if m.path != "controlplane/testids.py")
    used = set(re.findall(r'testid "(\w+)"', text)) | set(re.findall(r"Element\.(\w+)", text))
    used |= {f"SCHEDULE_FORM_{name}" for name in re.findall(r'marked\([^"]*"(\w+)"', text)}
    assert set(Element.__members__) - used == set()
    assert used - set(Element.__members__) == set()
