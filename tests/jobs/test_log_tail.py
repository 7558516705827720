import pytest

from jobs import log_tail as module
from jobs.lifecycle import Status
from jobs.log_tail import Line, lines_of, log_tail
from jobs.models import ExecutionLog, JobExecution
from tests.factories import make_job


@pytest.fixture
def execution(db: None) -> JobExecution:
    return JobExecution.objects.get(job=make_job(Status.RUNNING))


def chunk(stream: str, text: str) -> ExecutionLog:
    return ExecutionLog(stream=stream, text=text)


def write(execution: JobExecution, *texts: str) -> None:
    start = ExecutionLog.objects.filter(execution=execution).count() + 1
    ExecutionLog.objects.bulk_create(
        ExecutionLog(execution=execution, sequence=number, stream="stdout", text=text)
        for number, text in enumerate(texts, start)
    )


def test_lines_that_are_spread_over_chunks_are_joined() -> None:
    assert list(lines_of([chunk("stdout", "one\ntw"), chunk("stdout", "o\n")])) == [
        Line("stdout", "one"),
        Line("stdout", "two"),
    ]


def test_a_change_of_stream_ends_a_line() -> None:
    lines = lines_of([chunk("stdout", "begun"), chunk("stderr", "oops\n"), chunk("stdout", "\n")])
    assert list(lines) == [Line("stdout", "begun"), Line("stderr", "oops"), Line("stdout", "")]


def test_only_a_newline_ends_a_line() -> None:
    assert list(lines_of([chunk("log", "a\x0bb\u2028c\n")])) == [Line("log", "a\x0bb\u2028c")]


def test_an_execution_that_said_nothing_has_no_lines(execution: JobExecution) -> None:
    tail = log_tail(execution.id)
    assert (tail.lines, tail.is_cut) == ([], False)


def test_a_short_log_is_shown_whole_and_in_order(execution: JobExecution) -> None:
    write(execution, "1\n", "2\n", "3\n")
    tail = log_tail(execution.id)
    assert [line.text for line in tail.lines] == ["1", "2", "3"]
    assert not tail.is_cut


def test_only_the_last_lines_of_a_long_log_are_shown(execution: JobExecution) -> None:
    write(execution, "".join(f"{number}\n" for number in range(module.MAX_LINES + 5)))
    tail = log_tail(execution.id)
    assert (len(tail.lines), tail.lines[0].text, tail.is_cut) == (module.MAX_LINES, "5", True)


def test_only_the_last_characters_of_a_wide_log_are_read(execution: JobExecution) -> None:
    write(execution, "first\n", *["x" * 16_000 + "\n"] * 20)
    tail = log_tail(execution.id)
    assert tail.is_cut
    assert "first" not in {line.text for line in tail.lines}
    assert sum(len(line.text) for line in tail.lines) <= module.MAX_CHARACTERS + 16_000


def test_many_small_chunks_are_read_in_slices(
    execution: JobExecution, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SLICE", 3)
    write(execution, *[f"{number}\n" for number in range(10)])
    assert [line.text for line in log_tail(execution.id).lines] == [str(n) for n in range(10)]
