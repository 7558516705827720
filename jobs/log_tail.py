"""What an execution logged: the end of it as lines with their stream, or piece by piece."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from jobs.models import ExecutionLog

#: Most lines and characters shown; the whole log stays in the database until retention takes it.
MAX_LINES = 2_000
MAX_CHARACTERS = 256_000
#: Chunks read at a time. One read is enough unless the chunks are tiny.
SLICE = 250


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end."""

    stream: str
    text: str


@dataclass(frozen=True, slots=True)
class LogTail:
    """The last lines; `is_cut` when there were more before them."""

    lines: list[Line]
    is_cut: bool


def log_tail(execution_id: int) -> LogTail:
    """The last lines of an execution's log, oldest first."""
    chunks, is_cut = _last_chunks(execution_id)
    lines = list(lines_of(chunks))
    return LogTail(lines[-MAX_LINES:], is_cut=is_cut or len(lines) > MAX_LINES)


def log_after(execution_id: int, sequence: int) -> list[ExecutionLog]:
    """The next SLICE pieces with higher sequence numbers, oldest first."""
    rows = ExecutionLog.objects.filter(execution_id=execution_id, sequence__gt=sequence)
    return list(rows.order_by("sequence")[:SLICE])


def lines_of(chunks: Iterable[ExecutionLog]) -> Iterator[Line]:
    """Lines of chunks in order. A line ends with its newline, or where the stream changes."""
    for stream, run in groupby(chunks, key=lambda chunk: chunk.stream):
        text = "".join(chunk.text for chunk in run)
        for line in text.removesuffix("\n").split("\n"):
            yield Line(stream, line)


def _last_chunks(execution_id: int) -> tuple[list[ExecutionLog], bool]:
    """The last chunks in order, enough to fill the limits, and whether something was left out."""
    rows = ExecutionLog.objects.filter(execution_id=execution_id).order_by("-sequence")
    newest_first: list[ExecutionLog] = []
    characters = 0
    found = list(rows[:SLICE])
    while found:
        for chunk in found:
            if characters >= MAX_CHARACTERS or len(newest_first) >= MAX_LINES:
                return newest_first[::-1], True
            newest_first.append(chunk)
            characters += len(chunk.text)
        if len(found) < SLICE:
            break
        found = list(rows.filter(sequence__lt=found[-1].sequence)[:SLICE])
    return newest_first[::-1], False
