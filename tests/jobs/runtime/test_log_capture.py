import logging
import threading

import pytest

from jobs.runtime.log_capture import (
    CHUNK_BYTES,
    ContextLogHandler,
    ExecutionLog,
    current_log,
    install,
)


def text_of(log: ExecutionLog, stream: str = "") -> str:
    return "".join(chunk.text for chunk in log.take() if not stream or chunk.stream == stream)


def test_an_unused_log_yields_nothing() -> None:
    assert ExecutionLog(100).take() == []


def test_small_writes_to_one_stream_share_a_chunk() -> None:
    log = ExecutionLog(1000)
    for _ in range(50):
        log.write("stdout", "x")
    (chunk,) = log.take()
    assert (chunk.sequence, chunk.stream, chunk.text) == (1, "stdout", "x" * 50)


def test_chunks_keep_the_order_of_the_streams_and_number_on_across_takes() -> None:
    log = ExecutionLog(1000)
    log.write("stdout", "a")
    log.write("stderr", b"b")
    first = log.take()
    log.write("stdout", "c")
    chunks = first + log.take()
    assert [(c.sequence, c.stream, c.text) for c in chunks] == [
        (1, "stdout", "a"),
        (2, "stderr", "b"),
        (3, "stdout", "c"),
    ]
    assert chunks[0].written_at_monotonic <= chunks[2].written_at_monotonic


def test_large_text_is_split_into_chunks_that_cut_no_character() -> None:
    log = ExecutionLog(1_000_000)
    written = "a" + "\N{GRINNING FACE}é" * 20_000
    log.write("stdout", written)
    chunks = log.take()
    assert all(len(chunk.text.encode()) <= CHUNK_BYTES for chunk in chunks)
    assert "".join(chunk.text for chunk in chunks) == written


def test_a_character_split_over_two_writes_is_joined() -> None:
    log = ExecutionLog(1000)
    face = "\N{GRINNING FACE}".encode()
    log.write("stdout", face[:2])
    log.write("stderr", b"between\n")
    log.write("stdout", face[2:])
    chunks = log.take()
    assert [(c.stream, c.text) for c in chunks] == [
        ("stderr", "between\n"),
        ("stdout", "\N{GRINNING FACE}"),
    ]


def test_a_character_that_never_ends_is_visible_after_close() -> None:
    log = ExecutionLog(1000)
    log.write("stdout", b"ok\xf0\x9f")
    log.close()
    assert text_of(log) == "ok\ufffd"


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        (b"a\xffb", "a\ufffdb"),
        (b"a\x00b", "a\\x00b"),
        ("a\x00b", "a\\x00b"),
        ("a\ud800b\udfff", "a\ufffdb\ufffd"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
    ],
)
def test_what_a_database_refuses_is_made_visible(raw: str | bytes, seen: str) -> None:
    log = ExecutionLog(1000)
    log.write("stdout", raw)
    assert text_of(log) == seen


def test_the_cap_cuts_once_and_visibly_at_a_character() -> None:
    log = ExecutionLog(10)
    log.write("stdout", "123456789\N{GRINNING FACE}more")
    log.write("stderr", "never seen")
    log.write("log", b"never seen either")
    assert log.is_cut
    assert text_of(log) == "123456789\n… log cut after 9 bytes …\n"
    log.write("stdout", "still nothing")
    log.close()
    assert log.take() == []


def test_text_of_exactly_the_cap_is_not_cut() -> None:
    log = ExecutionLog(10)
    log.write("stdout", "0123456789")
    assert not log.is_cut
    assert text_of(log) == "0123456789"


def test_endless_output_holds_no_more_memory_than_the_cap() -> None:
    log = ExecutionLog(50_000)
    for _ in range(1000):
        log.write("stdout", b"y\n" * 5000)
    assert sum(len(chunk.text) for chunk in log.take()) < 50_100


def test_many_threads_lose_no_line() -> None:
    log = ExecutionLog(10_000_000)

    def write(name: int) -> None:
        for line in range(500):
            log.write("stdout", f"{name}:{line}\n")

    threads = [threading.Thread(target=write, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = text_of(log).splitlines()
    assert sorted(lines) == sorted(f"{name}:{line}" for name in range(8) for line in range(500))


@pytest.fixture
def logger() -> logging.Logger:
    """A logger of its own, so that the test does not touch the root logger."""
    logger = logging.Logger("app.tasks", level=logging.INFO)
    handler = ContextLogHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logger.addHandler(handler)
    return logger


def test_records_go_to_the_log_of_the_context(logger: logging.Logger) -> None:
    log = ExecutionLog(1000)
    logger.warning("before")
    token = current_log.set(log)
    try:
        logger.info("sent %d", 3)
    finally:
        current_log.reset(token)
    logger.warning("after")
    assert text_of(log, "log") == "INFO app.tasks: sent 3\n"


def test_a_record_that_cannot_be_formatted_is_written_as_it_stands(
    logger: logging.Logger,
) -> None:
    log = ExecutionLog(1000)
    token = current_log.set(log)
    try:
        logger.info("sent %d", "three")
    finally:
        current_log.reset(token)
    assert text_of(log) == "INFO app.tasks: sent %d [not formatted: TypeError]\n"


def test_a_filter_on_the_handler_drops_records(logger: logging.Logger) -> None:
    logger.handlers[0].addFilter(lambda record: "secret" not in record.getMessage())
    log = ExecutionLog(1000)
    token = current_log.set(log)
    try:
        logger.info("a secret")
        logger.info("no such thing")
    finally:
        current_log.reset(token)
    assert text_of(log) == "INFO app.tasks: no such thing\n"


def test_install_adds_one_handler_only() -> None:
    root = logging.getLogger()
    before = list(root.handlers)
    try:
        install()
        install()
        assert sum(isinstance(handler, ContextLogHandler) for handler in root.handlers) == 1
    finally:
        root.handlers[:] = before


def test_djangos_own_report_on_the_task_stays_out() -> None:
    root = logging.getLogger()
    before = list(root.handlers)
    root.handlers.clear()
    log = ExecutionLog(1000)
    token = current_log.set(log)
    try:
        install()
        logging.getLogger("django.tasks").error("state=FAILED")
        logging.getLogger("django.db").error("kept")
    finally:
        current_log.reset(token)
        root.handlers[:] = before
    assert text_of(log) == "ERROR django.db: kept\n"


def test_other_handlers_are_spared_what_tasks_say_below_a_warning() -> None:
    root = logging.getLogger()
    seen: list[logging.LogRecord] = []
    listener = logging.Handler()
    listener.emit = seen.append  # type: ignore[method-assign,assignment]
    before, level = list(root.handlers), root.level
    root.handlers = [listener]
    try:
        install()
        token = current_log.set(ExecutionLog(1000))
        root.warning("a task's warning")
        root.setLevel(logging.INFO)
        root.info("a task's remark")
        current_log.reset(token)
        root.info("the process's own")
    finally:
        root.handlers = before
        root.setLevel(level)
    assert [record.getMessage() for record in seen] == ["a task's warning", "the process's own"]
