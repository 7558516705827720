"""Programs' output is cut into lines that cannot harm a terminal or our memory."""

import io
import os
from collections.abc import Iterator
from typing import IO

import pytest

from controlplane.supervision.output import LINE_CHARACTERS, Lines, Log


@pytest.fixture
def pipe() -> Iterator[tuple[Lines, IO[bytes]]]:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with open(reader, "rb", buffering=0) as out, open(writer, "wb", buffering=0) as into:
        yield Lines("web", out), into


def test_a_line_is_passed_on_when_it_is_complete(pipe: tuple[Lines, IO[bytes]]) -> None:
    lines, into = pipe
    into.write(b"first\nsec")
    assert lines.read() == ["first"]
    assert lines.read() == []
    into.write("ond ü".encode()[:-1])
    assert lines.read() == []
    into.write("ü".encode()[-1:] + b"\r\n\n")
    assert lines.read() == ["second ü"]


def test_the_end_gives_what_had_no_line_end(pipe: tuple[Lines, IO[bytes]]) -> None:
    lines, into = pipe
    into.write(b"last words")
    assert lines.read() == []
    into.close()
    assert lines.read() is None
    assert lines.close() == ["last words"]


def test_a_line_without_end_is_cut(pipe: tuple[Lines, IO[bytes]]) -> None:
    lines, into = pipe
    into.write(b"x" * (LINE_CHARACTERS + 10))
    read = lines.read()
    assert read is not None
    assert [len(line) for line in read] == [LINE_CHARACTERS]


def test_control_characters_are_shown_not_obeyed() -> None:
    stream = io.StringIO()
    Log(stream).write("web", "a\x1b[31mb\tc\x7f")
    assert stream.getvalue().endswith("web       a\\x1b[31mb\tc\\x7f\n")


def test_a_reader_that_went_away_is_noted_for_good() -> None:
    reader, writer = os.pipe()
    with open(writer, "w", encoding="utf-8") as stream:
        log = Log(stream)
        log.write("web", "read")
        broken = [log.is_broken]
        os.close(reader)
        for line in ("lost", "lost too"):
            log.write("web", line)
            broken.append(log.is_broken)
    assert broken == [False, True, True]
