"""docs/errors.md: every code that a refusal can carry."""

import importlib

from controlplane.errors import ControlPlaneError
from doc_pages.source import NOTICE, ROOT, code, head, row

APPS = ("controlplane", "accounts", "audit", "jobs", "scheduling")

INTRODUCTION = """
Every refusal carries a code that does not change, an HTTP status and a sentence. Pages show the
sentence, the API gives all three, commands print the sentence and end with a status other than
zero. The sentences here are the general ones; most answers name the field and the limit.
"""


def page() -> str:
    lines = ["# Errors", "", NOTICE, INTRODUCTION.strip()]
    lines += head("Code", "Status", "Sentence", "Declared in")
    lines += [
        row(code(error.code), str(error.http_status), error().message, code(_home(error)))
        for error in sorted(_all(), key=lambda e: (e.http_status, e.code, e.__module__))
    ]
    return "\n".join(lines) + "\n"


def _all() -> list[type[ControlPlaneError]]:
    for app in APPS:
        for path in sorted((ROOT / app).rglob("errors.py")):
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    found: list[type[ControlPlaneError]] = []
    waiting = [ControlPlaneError]
    while waiting:
        error = waiting.pop()
        waiting += error.__subclasses__()
        if error.__module__.partition(".")[0] in APPS:
            found.append(error)
    return found


def _home(error: type[ControlPlaneError]) -> str:
    return error.__module__.replace(".", "/") + ".py"
