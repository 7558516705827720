"""What one execution logs and prints, kept in memory until the reporter stores it.

Everything that comes in is made safe for PostgreSQL and for a page, split into chunks and capped;
who writes does not wait for the database.
"""

import codecs
import logging
import re
import threading
import time
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

#: Largest chunk, bytes of UTF-8: one row of the log table.
CHUNK_BYTES = 16_384

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of log. `written_at_monotonic` is `time.monotonic()` of its first byte."""

    sequence: int
    stream: str
    written_at_monotonic: float
    text: str


def _safe_bytes(text: str) -> bytes:
    """UTF-8 of `text`; what PostgreSQL refuses made visible: NUL \\x00, lone surrogate U+FFFD."""
    if "\x00" in text:
        text = text.replace("\x00", "\\x00")
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text).encode()


def _cut_at_character(data: bytes, limit: int) -> int:
    """The largest length <= `limit` that splits no character of the UTF-8 in `data`."""
    if limit >= len(data):
        return len(data)
    while limit > 0 and data[limit] & 0xC0 == 0x80:
        limit -= 1
    return limit


class ExecutionLog:
    """A thread-safe buffer: what comes after `max_bytes` is dropped, and one line says so."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._kept_bytes = 0
        self._cut = False
        self._lock = threading.Lock()
        self._decoders: dict[str, codecs.IncrementalDecoder] = {}
        self._closed_chunks: list[Chunk] = []
        self._open = bytearray()
        self._open_stream = ""
        self._open_since = 0.0
        self._next_sequence = 1

    @property
    def is_cut(self) -> bool:
        """Whether the cap was reached and text was dropped."""
        return self._cut

    def write(self, stream: str, data: str | bytes) -> None:
        """Append to `stream` ("log", "stdout", "stderr"). Bytes may stop inside a character."""
        if self._cut or not data:
            return
        with self._lock:
            text = data if isinstance(data, str) else self._decode(stream, data)
            if text:
                self._append(stream, _safe_bytes(text))

    def close(self) -> None:
        """Make characters that never got their last byte visible. Call before the last `take`."""
        with self._lock:
            for stream, decoder in self._decoders.items():
                if rest := decoder.decode(b"", final=True):
                    self._append(stream, rest.encode())
            self._decoders.clear()

    def take(self) -> list[Chunk]:
        """What was written since the last `take`, in order; sequences go on without gaps from 1."""
        with self._lock:
            self._close_open_chunk()
            taken, self._closed_chunks = self._closed_chunks, []
            return taken

    def _decode(self, stream: str, data: bytes) -> str:
        decoder = self._decoders.get(stream)
        if decoder is None:
            decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
            self._decoders[stream] = decoder
        return decoder.decode(data)

    def _append(self, stream: str, data: bytes) -> None:
        if self._cut:
            return
        room = self._max_bytes - self._kept_bytes
        if len(data) <= room:
            self._keep(stream, data)
            return
        self._cut = True
        self._keep(stream, data[: _cut_at_character(data, room)])
        self._keep(stream, f"\n… log cut after {self._kept_bytes} bytes …\n".encode())

    def _keep(self, stream: str, data: bytes) -> None:
        self._kept_bytes += len(data)
        while data:
            if stream != self._open_stream or len(self._open) >= CHUNK_BYTES:
                self._close_open_chunk()
            if not self._open:
                self._open_stream, self._open_since = stream, time.monotonic()
            size = _cut_at_character(data, CHUNK_BYTES - len(self._open))
            if size == 0:  # the next character does not fit into what is left of this chunk
                self._close_open_chunk()
                continue
            self._open += data[:size]
            data = data[size:]

    def _close_open_chunk(self) -> None:
        if self._open:
            self._closed_chunks.append(
                Chunk(
                    sequence=self._next_sequence,
                    stream=self._open_stream,
                    written_at_monotonic=self._open_since,
                    text=self._open.decode(),
                )
            )
            self._next_sequence += 1
            self._open.clear()
        self._open_stream = ""


class Sink(Protocol):
    """What takes the log of an execution."""

    def write(self, stream: str, data: str) -> None: ...


#: Where the execution that runs in this context logs to, if one does. A thread that a task starts
#: by itself does not inherit it.
current_log: ContextVar[Sink | None] = ContextVar("current_log", default=None)


class ContextLogHandler(logging.Handler):
    """Formats records of the standard `logging` into the log of the execution that made them.

    Outside an execution it does nothing. It takes no lock: the log has its own, and threads that
    run other executions must not wait for each other.
    """

    def handle(self, record: logging.LogRecord) -> bool:
        """Filter and write the record; False outside an execution or when a filter drops it."""
        if current_log.get() is None:
            return False
        kept = self.filter(record)
        if not kept:
            return False
        self.emit(record if kept is True else kept)
        return True

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record; one that cannot be formatted is written as it stands, never raised."""
        log = current_log.get()
        if log is None:
            return
        try:
            line = self.format(record)
        except Exception as error:  # noqa: BLE001  a bad log call must not fail the task
            reason = type(error).__name__
            line = f"{record.levelname} {record.name}: {record.msg!s} [not formatted: {reason}]"
        log.write("log", line + "\n")


def _concerns_operators(record: logging.LogRecord) -> bool:
    """What a task says below a warning stands in its execution's log, and there only."""
    return record.levelno >= logging.WARNING or current_log.get() is None


def install() -> None:
    """Put one ContextLogHandler on the root logger; the others keep to what concerns operators.

    Calling it again changes nothing.
    """
    root = logging.getLogger()
    if any(isinstance(handler, ContextLogHandler) for handler in root.handlers):
        return
    for other in root.handlers:
        other.addFilter(_concerns_operators)
    handler = ContextLogHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    # Django's report on every task: the execution holds its outcome and traceback already.
    handler.addFilter(lambda record: record.name != "django.tasks")
    root.addHandler(handler)
