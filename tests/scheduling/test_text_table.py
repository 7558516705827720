"""Tables for terminals."""

from scheduling.text_table import MAX_CELL, text_table


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert text_table(("Line", "Text"), [(1, "a"), (20, None)]).splitlines() == [
        "Line  Text",
        "----  ----",
        "1     a",
        "20",
    ]


def test_no_control_character_reaches_a_terminal_and_long_cells_are_cut() -> None:
    text = text_table(("A",), [("\x1b[31mred\n\tx",), ("y" * 200,)])
    assert "\x1b" not in text and "[31mred x" in text
    assert max(map(len, text.splitlines())) == MAX_CELL
    assert text.endswith("…")


def test_a_table_may_be_empty() -> None:
    assert text_table(("A", "B"), []).splitlines() == ["A  B", "-  -"]
