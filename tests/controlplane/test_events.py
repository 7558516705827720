"""What the processes say: each event has its sentence, and each sentence gets its facts."""

import logging
import string

import pytest

from controlplane.events import SENTENCES, log_event


def test_an_event_is_its_sentence_with_the_facts_beside_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG, logger="controlplane"):
        log_event("watchdog.reclaimed", count=3)
    (record,) = caplog.records
    assert record.getMessage() == "3 executions had lost their lease; their jobs go on"
    assert (record.levelno, record.name) == (logging.WARNING, "controlplane")
    assert vars(record)["event"] == "watchdog.reclaimed"
    assert vars(record)["facts"] == {"count": 3}


def test_braces_and_percent_signs_in_facts_are_just_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log_event("executor.report_failed", error="100 %s of {count}")
    assert caplog.messages == ["results are kept and reported again: 100 %s of {count}"]


@pytest.mark.parametrize(
    ("event", "facts"), [("no.such_event", {}), ("watchdog.reclaimed", {"number": 3})]
)
def test_an_unknown_event_or_a_missing_fact_is_an_error(
    event: str, facts: dict[str, object]
) -> None:
    with pytest.raises(KeyError):
        log_event(event, **facts)


@pytest.mark.parametrize("event", SENTENCES)
def test_every_sentence_is_one_line_with_named_fields(event: str) -> None:
    _level, sentence = SENTENCES[event]
    assert "\n" not in sentence
    assert all(field != "" for _, field, _, _ in string.Formatter().parse(sentence))
