"""docs/lifecycle.md: the diagram and tables of jobs/lifecycle.py."""

from doc_pages.source import NOTICE, code, constant_comments, head, member_comments, row
from jobs import lifecycle
from jobs.lifecycle import FINAL, TRANSITIONS, Status

MODULE = "jobs/lifecycle.py"

#: States that a job can be created in.
ENTRIES = (Status.PENDING, Status.SCHEDULED, Status.BLOCKED)

TRANSITIONS_TEXT = """
Each is one guarded statement: it moves the rows that are in one of its sources, and its event is
written in the same transaction. One with a verb is what a person may ask for.
"""


def page() -> str:
    lines = ["# The life of a job", "", NOTICE, *_diagram()]
    lines += ["", "## States of a job", *head("State", "Meaning")]
    lines += [row(code(name), text) for name, text in member_comments(MODULE, "Status").items()]
    lines += ["", "## Outcomes of an execution", *head("Outcome", "Meaning")]
    lines += [row(code(name), text) for name, text in member_comments(MODULE, "Outcome").items()]
    lines += ["", "## Transitions", "", TRANSITIONS_TEXT.strip()]
    lines += head("Transition", "From", "To", "Audit event", "Verb")
    lines += [
        row(code(t.name), _listed(t.sources), code(t.target), code(t.event), code(t.verb))
        for t in TRANSITIONS
    ]
    lines += ["", "## Sets of states", *head("Set", "States", "Meaning")]
    for name, meaning in constant_comments(MODULE).items():
        members = getattr(lifecycle, name)
        if isinstance(members, tuple):
            lines.append(row(code(name), _listed(members), meaning))
    return "\n".join(lines) + "\n"


def _diagram() -> list[str]:
    lines = ["```mermaid", "stateDiagram-v2"]
    lines += [f"    [*] --> {state}" for state in ENTRIES]
    for transition in TRANSITIONS:
        lines += [f"    {s} --> {transition.target}: {transition.name}" for s in transition.sources]
    lines += [f"    {state} --> [*]" for state in FINAL]
    return [*lines, "```"]


def _listed(states: tuple[Status, ...]) -> str:
    return ", ".join(code(state) for state in states)
