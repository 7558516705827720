import pytest

from jobs.tasks.last_line import MAX_LINE_CHARS, LastLine


def last_line(*pieces: bytes) -> str:
    line = LastLine()
    for piece in pieces:
        line.feed(piece)
    return line.text()


@pytest.mark.parametrize(
    ("output", "seen"),
    [
        (b"", ""),
        (b"\n \n\t\n", ""),
        (b"one", "one"),
        (b"one\ntwo\n\n  \n", "two"),
        (b"  two  \r\n", "two"),
        (b"10 %\r50 %\r100 %", "100 %"),
        (b"\x1b[1;32mgreen\x1b[0m \x1b]0;title\x07text\n", "green text"),
        (b"a\x00b\x08c\n", "a b c"),
        (b"\xff\xfe\n", "\ufffd\ufffd"),
        ("\N{RIGHT-TO-LEFT OVERRIDE}gnp.exe\n".encode(), "gnp.exe"),
    ],
)
def test_the_last_line_that_says_something(output: bytes, seen: str) -> None:
    assert last_line(output) == seen


def test_pieces_may_break_anywhere() -> None:
    assert last_line(b"fir", b"st\nsec", "ond é".encode()[:-1], "é".encode()[1:]) == "second é"


def test_endless_output_keeps_only_its_end() -> None:
    assert last_line(*[b"x" * 100_000] * 20, b"\nend\n") == "end"


def test_a_long_line_keeps_its_start() -> None:
    assert last_line(b"a" + b"b" * 1000) == "a" + "b" * (MAX_LINE_CHARS - 1)
