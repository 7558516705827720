"""Every listed event happens somewhere, and every log line that is said is listed."""

import ast
from collections.abc import Iterator

from audit.vocabulary import EventType
from controlplane.events import SENTENCES
from tests.rules.tree import ROOT, calls, listing, name_of, product


def test_every_audit_event_is_recorded_somewhere() -> None:
    named = {
        node.attr
        for module in product()
        if module.path != "audit/vocabulary.py"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
    }
    statements = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "jobs/sql").glob("*.sql"))
    named |= {event for event in EventType.names if f"{{{event.lower()}_event}}" in statements}
    assert not (offenders := sorted(set(EventType.names) - named)), listing(offenders)


def test_every_log_event_is_said_somewhere() -> None:
    assert not (offenders := sorted(set(SENTENCES) - set(_said()))), listing(offenders)


def test_nothing_else_is_said() -> None:
    assert not (offenders := sorted(set(_said()) - set(SENTENCES))), listing(offenders)


def _said() -> Iterator[str]:
    """Names given to `log_event`, also where one of two is chosen on the spot."""
    for module in product():
        for call in calls(module.tree):
            if name_of(call) == "log_event" and call.args:
                for node in ast.walk(call.args[0]):
                    if isinstance(node, ast.Constant) and isinstance(node.value, str):
                        yield node.value
