"""What the source says in comments, for pages that repeat it."""

import ast
import tokenize
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NOTICE = "<!-- Written by .ci/docs: change the code it comes from, then run that again. -->\n"


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def row(*cells: str) -> str:
    """One row of a table in Markdown."""
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def head(*cells: str) -> list[str]:
    return ["", row(*cells), "|" + "---|" * len(cells)]


def code(text: object) -> str:
    return f"`{text}`" if str(text) else ""


def comments_above(source: str) -> dict[int, str]:
    """line number -> the comment that ends on the line before it."""
    found: dict[int, str] = {}
    pending: list[str] = []
    for number, line in enumerate(source.splitlines(), start=1):
        text = line.strip()
        if text.startswith("#"):
            pending.append(text.lstrip("#: ").strip())
            continue
        if pending and text:
            found[number] = " ".join(pending)
        pending = []
    return found


def field_comments(path: str, class_name: str) -> dict[str, str]:
    """field of a class -> the comment above it."""
    source = read(path)
    above = comments_above(source)
    body = _class(source, class_name).body
    return {
        ast.unparse(node.target): above.get(node.lineno, "")
        for node in body
        if isinstance(node, ast.AnnAssign)
    }


def member_comments(path: str, class_name: str) -> dict[str, str]:
    """member of an enumeration -> the comment behind it or above it."""
    source = read(path)
    above = comments_above(source)
    behind = dict(_comments_behind(source))
    members = [n for n in _class(source, class_name).body if isinstance(n, ast.Assign)]
    return {
        ast.unparse(m.targets[0]): behind.get(m.end_lineno or 0) or above.get(m.lineno, "")
        for m in members
    }


def constant_comments(path: str) -> dict[str, str]:
    """Constants of a module that have a comment above them."""
    source = read(path)
    above = comments_above(source)
    return {
        ast.unparse(node.targets[0]): above[node.lineno]
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and node.lineno in above
    }


def _class(source: str, name: str) -> ast.ClassDef:
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return node
    raise LookupError(name)


def _comments_behind(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")
