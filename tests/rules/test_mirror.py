"""`jobs/actions/cancel.py` has `tests/jobs/actions/test_cancel.py`, and so has every module."""

import ast

from tests.rules.tree import ROOT, listing, product

#: Modules without a test file of their own, and what stands in for it.
EXEMPT = {
    "controlplane/apps.py": "registers the checks that tests/controlplane/test_checks.py runs",
    "controlplane/management/commands/up.py": "run for real in tests/processes/test_up.py",
    "controlplane/up/session.py": "run for real in tests/processes/test_up.py",
    "controlplane/asgi.py": "served for real in tests/controlplane/test_serving.py",
    "controlplane/settings.py": "tried with real environments in tests/controlplane/test_env.py",
    "controlplane/urls.py": "every page's test resolves it",
}


FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def test_every_module_has_its_tests() -> None:
    missing = sorted(path for path in _with_behaviour() if not _tests_of(path))
    assert not (offenders := [path for path in missing if path not in EXEMPT]), listing(offenders)


def test_every_exemption_is_still_one() -> None:
    modules = {module.path for module in product()}
    gone = [path for path in EXEMPT if path not in modules]
    assert not gone, listing(gone)


def test_no_test_folder_lacks_its_init() -> None:
    folders = {path.parent for path in (ROOT / "tests").rglob("*.py")}
    lacking = sorted(str(folder) for folder in folders if not (folder / "__init__.py").exists())
    assert not lacking, listing(lacking)


def _with_behaviour() -> list[str]:
    """Modules that define a function somewhere; the rest are declarations."""
    return [
        module.path
        for module in product()
        if any(isinstance(node, FUNCTION) for node in ast.walk(module.tree))
    ]


def _tests_of(path: str) -> bool:
    """`test_<name>.py`, or several `test_<name>_<aspect>.py` where one would be too long.

    What a package itself defines is tested beside it: `jobs/sql/__init__.py` by `test_sql.py`.
    """
    folder, _, name = path.replace("/__init__.py", ".py").rpartition("/")
    stem = name.removesuffix(".py").lstrip("_")
    return any((ROOT / "tests" / folder).glob(f"test_{stem}*.py"))
