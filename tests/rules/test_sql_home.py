"""Hand-written SQL lives where this list says, and nowhere else."""

import ast
import re
from collections.abc import Iterator

from tests.rules.tree import Module, calls, listing, name_of, product

#: Every module that may execute SQL, and why the ORM does not do there.
ALLOWED = {
    "audit/partitions.py": "the ORM knows no partitions",
    "controlplane/embedded_postgres/server.py": "makes the database that Django then uses",
    "controlplane/listener.py": "LISTEN needs a connection outside Django's",
    "controlplane/preflight.py": "asks the server about itself",
    "controlplane/views.py": "the health probe asks the database whether it answers",
    "jobs/queue.py": "claim and report: measured, one statement per file in jobs/sql",
}

STATEMENT = re.compile(
    r"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|ALTER|CREATE|DROP|TRUNCATE|LISTEN|COPY)\s"
)
EXECUTORS = {"execute", "executemany", "raw", "RawSQL", "extra"}


def sql(module: Module) -> Iterator[int]:
    """Lines that execute SQL or hold a statement in a string."""
    for call in calls(module.tree):
        if name_of(call) in EXECUTORS:
            yield call.lineno
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Constant):
            continue
        if isinstance(node.value, str) and STATEMENT.match(node.value):
            yield node.lineno


def test_no_other_module_speaks_sql() -> None:
    found = sorted(
        {
            f"{module.path}:{line}"
            for module in product()
            if module.path not in ALLOWED
            for line in sql(module)
        }
    )
    assert not found, listing(found)


def test_every_exception_still_needs_to_be_one() -> None:
    assert set(ALLOWED) <= {module.path for module in product() if any(sql(module))}


def test_only_the_queue_runs_the_stored_statements() -> None:
    users = {
        module.path
        for module in product()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom)
        and node.module == "jobs.sql"
        and any(alias.name == "statement" for alias in node.names)
    }
    assert users == {"jobs/queue.py"}
