"""What nobody should find in the project: half-done work, and places that exist on one machine."""

import re

import pytest

from tests.rules.tree import files, listing, relative

#: Split, so that this file holds none of them.
FORBIDDEN = (
    "TO" + "DO",
    "FIX" + "ME",
    "X" + "XX",
    "/wo" + "rk/",
    "/far" + "m/",
    "/tm" + "p/cp",
    "../sha" + "red",
    "pypi" + ".org",
    "pythonhos" + "ted",
    "npmjs" + ".",
    "docker" + ".io",
    "ghcr" + ".io",
)

#: Files with another suffix are pictures and fonts.
TEXT = re.compile(
    r"|\.(css|html|js|json|md|py|sh|sql|svg|toml|txt|ya?ml|cfg|ini|lock|service|conf)"
)

#: The licence's text is not ours to change.
NOT_OURS = {"LICENSE"}


@pytest.mark.parametrize("word", FORBIDDEN)
def test_no_file_holds(word: str) -> None:
    found = [
        relative(path)
        for path in files()
        if TEXT.fullmatch(path.suffix)
        and path.name not in NOT_OURS
        and word in path.read_text(encoding="utf-8", errors="replace")
    ]
    assert not found, listing(found)
