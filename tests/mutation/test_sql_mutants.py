"""Faults of stored statements and of the database's constraints."""

from tests.mutation.sql_mutants import mutants_of, mutants_of_constraints


def made(text: str) -> dict[str, str]:
    return {mutant.change: " ".join(mutant.text.split()) for mutant in mutants_of("s.sql", text)}


def test_each_operand_of_a_condition_is_dropped() -> None:
    assert made("UPDATE t SET a = 1 WHERE id = ANY(%(ids)s) AND status = 'x'\nRETURNING id") == {
        "drop `id = ANY(%(ids)s)`": "UPDATE t SET a = 1 WHERE TRUE AND status = 'x' RETURNING id",
        "drop `status = 'x'`": "UPDATE t SET a = 1 WHERE id = ANY(%(ids)s) AND TRUE RETURNING id",
    }


def test_a_condition_ends_with_its_bracket() -> None:
    assert made("SELECT (SELECT 1 FROM t WHERE (a OR b)) AND c") == {
        "drop `(a OR b)`": "SELECT (SELECT 1 FROM t WHERE TRUE ) AND c"
    }


def test_orders_conflicts_and_choices_are_dropped() -> None:
    text = "INSERT INTO t SELECT CASE WHEN a THEN b ELSE c END FROM s ORDER BY d\n"
    text += "ON CONFLICT DO NOTHING"
    assert set(made(text)) == {
        "drop `ORDER BY d`",
        "drop `ON CONFLICT DO NOTHING`",
        "always `b`",
        "always `c`",
    }
    assert made("SELECT coalesce(a, f(b))") == {
        "always `a`": "SELECT a",
        "always `f(b)`": "SELECT f(b)",
    }


def test_a_writing_part_that_nothing_reads_is_dropped() -> None:
    text = "WITH a AS (\n    SELECT 1\n),\nb AS (\n    INSERT INTO t SELECT 1\n)\nSELECT 2 FROM a"
    assert made(text) == {"drop the part `b`": "WITH a AS ( SELECT 1 ) SELECT 2 FROM a"}


def test_comments_are_no_code() -> None:
    assert made("-- WHERE a AND b\nSELECT 1") == {}


def test_each_constraint_is_dropped_from_the_database() -> None:
    text = """
class Job:
    class Meta:
        constraints = [
            models.CheckConstraint(condition=A, name="known"),
            models.UniqueConstraint(fields=["a"], name="once"),
        ]
"""
    first, second = mutants_of_constraints("m.py", text)
    assert first.sql == (
        "ALTER TABLE jobs_job DROP CONSTRAINT IF EXISTS known; DROP INDEX IF EXISTS known"
    )
    assert (second.line, second.change) == (6, "drop the constraint once")
