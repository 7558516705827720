"""The text of a file that a command is given."""

from io import StringIO
from pathlib import Path

import pytest

from scheduling import source_text
from scheduling.errors import InvalidSchedule


def test_a_file_or_standard_input_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_text("ä")
    assert source_text.text_of(str(path)) == "ä"
    monkeypatch.setattr("sys.stdin", StringIO("typed"))
    assert source_text.text_of("-") == "typed"


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"too long"])
def test_what_cannot_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    monkeypatch.setattr(source_text, "MAX_BYTES", 5)
    path = tmp_path / "x"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InvalidSchedule, match=r"cannot be read|larger than"):
        source_text.text_of(str(path))
