"""The project's files, as the house rules look at them."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
APPS = ("controlplane", "accounts", "audit", "jobs", "scheduling")

#: Not ours, or not kept.
SKIPPED = frozenset({".git", ".venv", "var", "node_modules", "vendor", "staticfiles"})


@dataclass(frozen=True)
class Module:
    """One Python file: its path from the root, text and syntax tree."""

    path: str
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    @property
    def is_migration(self) -> bool:
        return "/migrations/" in self.path


def files(*suffixes: str) -> Iterator[Path]:
    """Every file of the project with one of these suffixes; all text files without any."""
    yield from (path for path in _all_files() if not suffixes or path.suffix in suffixes)


@cache
def product() -> tuple[Module, ...]:
    """The modules of the apps, without their migrations."""
    return tuple(m for m in _modules() if m.path.split("/")[0] in APPS and not m.is_migration)


@cache
def suite() -> tuple[Module, ...]:
    return tuple(m for m in _modules() if m.path.startswith("tests/"))


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def name_of(call: ast.Call) -> str:
    """What is called, by its last name: `update` for `rows.filter(...).update(...)`."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def listing(offenders: Mapping[str, object] | Sequence[str]) -> str:
    """What a failing rule shows: every offender on its line."""
    if isinstance(offenders, Mapping):
        offenders = [f"{name}: {fact}" for name, fact in offenders.items()]
    return "\n".join(["", *offenders])


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def _modules() -> tuple[Module, ...]:
    return tuple(_read(path) for path in files(".py"))


def _read(path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    return Module(relative(path), text, ast.parse(text, filename=str(path)))


@cache
def _all_files() -> tuple[Path, ...]:
    found: list[Path] = []
    for folder, folders, names in ROOT.walk():
        folders[:] = sorted(
            name
            for name in folders
            if name not in SKIPPED and not name.startswith(".") and name != "__pycache__"
        )
        found += [folder / name for name in sorted(names)]
    found += sorted(path for path in (ROOT / ".ci").glob("*") if path.is_file())
    return tuple(found)
