"""The stored statements: their names are filled in from the code, and from nowhere else."""

from pathlib import Path

import pytest
from django.db import connection

from jobs import sql
from jobs.lifecycle import Outcome, Status
from jobs.sql import statement

FILES = sorted(Path(sql.__file__).parent.glob("*.sql"))
NAMES = [file.stem for file in FILES]


def test_there_are_statements() -> None:
    assert {"insert_jobs", "begin_executions", "report_succeeded", "mark_started"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_names_of_tables_and_states_are_filled_in(name: str) -> None:
    text = statement(name)
    assert "jobs_job" in text or "audit_auditevent" in text
    assert not any(f"{{{word}}}" in text for word in sql._NAMES)
    used = {value for value in (*Status, *Outcome) if f"'{value}'" in text}
    assert used, "every statement has a state to guard or to set"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_statement_says_first_what_it_does(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("-- ")
    assert lines[0].endswith((".", ":"))


def test_an_unknown_statement_is_a_missing_file() -> None:
    with pytest.raises(FileNotFoundError):
        statement("nothing")


def test_a_name_that_nobody_knows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odd.sql").write_text("SELECT * FROM {no_such_table}")
    monkeypatch.setattr(sql, "__file__", str(tmp_path / "__init__.py"))
    statement.cache_clear()
    with pytest.raises(KeyError, match="no_such_table"):
        statement("odd")
    statement.cache_clear()


def test_a_statement_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = statement("insert_jobs")
    monkeypatch.setattr(sql, "__file__", str(tmp_path / "__init__.py"))
    assert statement("insert_jobs") is first


@pytest.mark.django_db
def test_the_states_that_are_filled_in_are_the_databases() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {sql._NAMES['job_pending']}, {sql._NAMES['execution_running']}")
        assert cursor.fetchone() == (Status.PENDING, Outcome.RUNNING)
