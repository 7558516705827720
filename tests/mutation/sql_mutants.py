"""Mutants of the stored statements, and of the constraints that the database holds."""

import ast
import re
from collections.abc import Iterator

from tests.mutation.mutant import Mutant, numbered

WHERE = re.compile(r"\bWHERE\b|\bON\b(?! CONFLICT)")
#: What a condition is made of; the last kind ends it.
TOKEN = re.compile(
    r"(?P<open>\()|(?P<close>\))|\b(?P<and>AND)\b"
    r"|\b(?P<end>RETURNING|ORDER|UNION|WHERE|LEFT|CROSS|JOIN|FOR)\b"
)
WRITING_CTE = re.compile(
    r",?\s*^(?P<name>\w+) AS \(\s*(?:INSERT|UPDATE|SELECT count\(pg_notify).*?^\)", re.M | re.S
)
CLAUSES = (
    re.compile(r"ORDER BY (?P<what>[^\n)]+)"),
    re.compile(r"ON CONFLICT (?P<what>DO NOTHING)"),
    re.compile(r"(?P<what>DISTINCT )"),
    re.compile(r"(?P<what>FOR NO KEY UPDATE OF \w+)"),
)
CHOICE = re.compile(
    r"CASE WHEN (?P<test>.+?)\s+THEN (?P<then>.+?)(?:\s+ELSE (?P<other>.+?))?\s+END", re.S
)
COALESCE = re.compile(r"coalesce\((?P<first>[^,]+), (?P<second>\w+\([^)]*\))\)")


def mutants_of(path: str, text: str) -> list[Mutant]:
    """Every mutant of one statement: each operand, order, choice and writing part dropped."""
    body = _without_comments(text)
    made = []
    for start, end, new, words in sorted(_edits(body)):
        changed = body[:start] + new + body[end:]
        line = text[:start].count("\n") + 1
        source = text.splitlines()[line - 1].strip()
        made.append(Mutant(path, line, source, "statement", words, text=changed))
    return numbered(made)


def _without_comments(text: str) -> str:
    """Comments blanked out, so that positions stay."""
    return re.sub(r"--[^\n]*", lambda found: " " * len(found[0]), text)


def _edits(body: str) -> Iterator[tuple[int, int, str, str]]:
    for clause in WHERE.finditer(body):
        for start, end in _operands(body, clause.end()):
            yield start, end, " TRUE ", f"drop `{' '.join(body[start:end].split())}`"
    for pattern in CLAUSES:
        for found in pattern.finditer(body):
            yield found.start(), found.end(), "", f"drop `{' '.join(found[0].split())}`"
    for found in CHOICE.finditer(body):
        for arm in ("then", "other"):
            value = found[arm] or "NULL"
            yield found.start(), found.end(), value, f"always `{' '.join(value.split())}`"
    for found in COALESCE.finditer(body):
        for arm in ("first", "second"):
            yield found.start(), found.end(), found[arm], f"always `{found[arm]}`"
    for part in WRITING_CTE.finditer(body):
        if len(re.findall(rf"\b{part['name']}\b", body)) == 1:
            yield part.start(), part.end(), "", f"drop the part `{part['name']}`"


def _operands(body: str, start: int) -> Iterator[tuple[int, int]]:
    """Where the operands of AND stand in a condition that begins at `start`."""
    depth = 0
    for token in TOKEN.finditer(body, start):
        depth += bool(token["open"]) - bool(token["close"])
        if depth < 0 or (depth == 0 and (token["and"] or token["end"])):
            yield start, token.start()
            start = token.end()
        if depth < 0 or (depth == 0 and token["end"]):
            return
    yield start, len(body)


def mutants_of_constraints(path: str, text: str) -> list[Mutant]:
    """One mutant for each constraint of the models in `path`: the database without it."""
    made = []
    for model in ast.parse(text).body:
        if not isinstance(model, ast.ClassDef):
            continue
        for call in ast.walk(model):
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("Constraint"):
                made.append(_without_constraint(path, text, model.name, call))
    return made


def _without_constraint(path: str, text: str, model: str, call: ast.Call) -> Mutant:
    (name,) = (k.value.value for k in call.keywords if k.arg == "name")  # type: ignore[attr-defined]
    table = f"jobs_{model.lower()}"
    # A unique constraint with a condition is an index to PostgreSQL.
    sql = f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}; DROP INDEX IF EXISTS {name}"
    line = next(n for n, row in enumerate(text.splitlines(), 1) if f'"{name}"' in row)
    return Mutant(path, line, f'name="{name}"', model, f"drop the constraint {name}", sql=sql)
