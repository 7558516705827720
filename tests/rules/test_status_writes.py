"""Only jobs/lifecycle.py assigns a status, and only through its guarded write."""

import ast
import re
from collections.abc import Iterator

import pytest

from jobs.lifecycle import Outcome, Status
from tests.rules.tree import ROOT, Module, calls, listing, name_of, product

#: Where a status is written, and why it may be.
ALLOWED = {
    "jobs/lifecycle.py": "the one place",
}

#: Their `status` is another thing: an account's, an HTTP answer's.
OTHER_STATUSES = ("accounts/", "controlplane/")

WRITERS = {"update", "aupdate", "create", "acreate", "get_or_create", "update_or_create"}
MODELS = {"Job", "JobExecution"}


def writes(module: Module) -> Iterator[int]:
    """Lines that assign an attribute `status`, or hand a status to something that writes it."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(t, ast.Attribute) and t.attr == "status" for t in targets):
                yield node.lineno
    for call in calls(module.tree):
        names = {keyword.arg for keyword in call.keywords}
        if name_of(call) in WRITERS | MODELS and "status" in names:
            yield call.lineno
        if name_of(call) in {"setattr", "save", "bulk_update"} and _mentions_status(call):
            yield call.lineno


def _mentions_status(call: ast.Call) -> bool:
    return any(isinstance(n, ast.Constant) and n.value == "status" for n in ast.walk(call))


def test_no_other_module_assigns_a_status() -> None:
    found = [
        f"{module.path}:{line}"
        for module in product()
        if module.path not in ALLOWED and not module.path.startswith(OTHER_STATUSES)
        for line in writes(module)
    ]
    assert not found, listing(found)


def test_every_exception_still_needs_to_be_one() -> None:
    writing = {module.path for module in product() if list(writes(module))}
    assert set(ALLOWED) <= writing


@pytest.mark.parametrize(
    "code",
    [
        "job.status = Status.PENDING",
        "Job.objects.filter(id=1).update(status='PENDING')",
        "Job(status='PENDING')",
        "setattr(job, 'status', 'PENDING')",
        "job.save(update_fields=['status'])",
        "Job.objects.bulk_update(rows, ['status'])",
    ],
)
def test_the_rule_sees_every_way_to_write_one(code: str) -> None:
    assert list(writes(Module("jobs/example.py", code, ast.parse(code)))) == [1]


def test_statements_spell_no_status() -> None:
    """Names of states come from the lifecycle; a literal in SQL would be a second vocabulary."""
    names = "|".join(sorted({*Status.values, *Outcome.values}))
    literal = re.compile(f"'({names})'")
    found = [
        f"{path.name}: {match.group(1)}"
        for path in sorted((ROOT / "jobs" / "sql").glob("*.sql"))
        for match in literal.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found, listing(found)
