"""Small files, small functions, small templates: a reader should hold each in their head."""

import ast
from statistics import median

import pytest

from tests.rules.tree import ROOT, files, listing, product, relative, suite

FILE_CAP = 400
FILE_MEDIAN = 80
FUNCTION_CAP = 60
FUNCTION_P90 = 32
TEMPLATE_CAP = 120
SCRIPT_CAP = 100
COMMAND_CAP = 60


def test_no_python_file_is_long() -> None:
    long = {m.path: m.lines for m in (*product(), *suite()) if m.lines > FILE_CAP}
    assert not long, listing(long)


def test_most_python_files_are_short() -> None:
    sizes = {m.path: m.lines for m in product() if m.lines}
    largest = sorted(sizes, key=lambda path: -sizes[path])[:15]
    assert median(sizes.values()) < FILE_MEDIAN, listing({p: sizes[p] for p in largest})


def test_no_function_is_long() -> None:
    long = {name: size for name, size in _functions().items() if size > FUNCTION_CAP}
    assert not long, listing(long)


def test_nine_functions_of_ten_fit_a_screen() -> None:
    sizes = sorted(_functions().values())
    assert sizes[len(sizes) * 9 // 10] <= FUNCTION_P90


def _functions() -> dict[str, int]:
    return {
        f"{module.path}:{node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for module in product()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_commands_only_parse_build_and_run() -> None:
    long = {
        m.path: m.lines
        for m in product()
        if "/management/commands/" in m.path and m.lines > COMMAND_CAP
    }
    assert not long, listing(long)


@pytest.mark.parametrize(
    ("folder", "suffix", "cap"),
    [("templates", ".html", TEMPLATE_CAP), ("static", ".js", SCRIPT_CAP)],
)
def test_no_template_or_script_is_long(folder: str, suffix: str, cap: int) -> None:
    sizes = {
        relative(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in files(suffix)
        if path.is_relative_to(ROOT / folder)
    }
    long = {path: size for path, size in sizes.items() if size > cap}
    assert not long, listing(long)
