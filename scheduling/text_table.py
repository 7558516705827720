"""Tables for terminals: what commands print of what they did or would do."""

from collections.abc import Iterable, Sequence

#: Longest cell, characters; the rest is cut off with an ellipsis.
MAX_CELL = 60


def text_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns as wide as their widest cell, two spaces apart; one line for each row."""
    lines = [[_cell(cell) for cell in row] for row in (headings, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = ["-" * width for width in widths]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in (lines[0], rule, *lines[1:])
    )


def _cell(value: object) -> str:
    """One printable line: control characters of a crontab must not reach a terminal."""
    text = "" if value is None else str(value)
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return plain if len(plain) <= MAX_CELL else plain[: MAX_CELL - 1] + "…"
