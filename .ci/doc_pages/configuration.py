"""docs/configuration.md: every environment variable, and every option of our own."""

import ast
from dataclasses import fields
from typing import Any, NamedTuple

from controlplane.conf import Options
from doc_pages.source import NOTICE, code, comments_above, field_comments, head, read, row

SETTINGS = "controlplane/settings.py"

INTRODUCTION = """
Everything is set by environment variables, which `controlplane/settings.py` reads once, at the
start. A value that cannot be right stops the start with the variable's name. A secret may stand
in a file instead: `SECRET_KEY_FILE` names the file that holds `SECRET_KEY`.
"""

OPTIONS = """
The fields of `controlplane/conf.py: Options`. One without a variable is set by its name in
`settings.CONTROL_PLANE`.
"""

#: For variables whose line in settings.py has no comment.
MEANINGS = {
    "DJANGO_ENV": "`production` demands a secret key, secure cookies and HTTPS.",
    "DEBUG": "Django's error pages. Never where strangers can reach them.",
    "SECRET_KEY": "Signs sessions: at least 50 random characters. Needed in production.",
    "JWT_SIGNING_KEY": "Signs the API's access tokens: 32 bytes or more, and another than "
    "`SECRET_KEY`. Needed in production.",
    "ALLOWED_HOSTS": "Host names that the site answers to; in production none unless given.",
    "CSRF_TRUSTED_ORIGINS": "Origins (`https://host`) behind a proxy that may post forms.",
    "DATABASE_URL": "The PostgreSQL database, 15 or newer. Unset: the project's own in `var/`.",
    "DATABASE_CONN_MAX_AGE": "How long a connection is kept open, seconds.",
    "BOOTSTRAP_ADMIN_PASSWORD": "Their password, for the same command.",
    "STATIC_ROOT": "Where `collectstatic` puts files.",
    "SECURE_SSL_REDIRECT": "Send plain HTTP to HTTPS; production only.",
    "LOG_FORMAT": "A line of the processes' logs, in the terms of Python's logging.",
    "LOG_LEVEL": "Least level of what the processes log.",
}

KINDS = {"flag": "true or false", "names": "list, by commas"}


class Variable(NamedTuple):
    """One environment variable, as settings.py reads it."""

    name: str
    kind: str
    default: str
    bounds: str
    meaning: str


def page() -> str:
    variables = _variables()
    options = _variables_of_options()
    lines = ["# Configuration", "", NOTICE, INTRODUCTION.strip(), "", "## The site"]
    lines += head("Variable", "Kind", "Default", "Bounds", "Meaning")
    of_options = set(options.values())
    lines += [
        row(code(v.name), v.kind, code(v.default), v.bounds, v.meaning)
        for v in variables.values()
        if v.name not in of_options
    ]
    lines += ["", "## The loops and the tasks", "", OPTIONS.strip()]
    lines += head("Option", "Variable", "Default", "Bounds", "Meaning")
    defaults = {field.name: _shown(field.default) for field in fields(Options)}
    for option, meaning in field_comments("controlplane/conf.py", "Options").items():
        name = options.get(option, "")
        bounds = variables[name].bounds if name else ""
        lines.append(row(code(option), code(name), code(defaults[option]), bounds, meaning))
    return "\n".join(lines) + "\n"


def _variables() -> dict[str, Variable]:
    """What settings.py asks the environment for, in its order."""
    source = read(SETTINGS)
    above = comments_above(source)
    found: dict[str, Variable] = {}
    for statement in ast.parse(source).body:
        calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
        for call in sorted(calls, key=lambda call: call.lineno):
            if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "env":
                meaning = above.get(statement.lineno, "")
                variable = _variable(call, call.func.attr, meaning)
                found.setdefault(variable.name, variable)
    return found


def _variable(call: ast.Call, reader: str, meaning: str) -> Variable:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    name: str = ast.literal_eval(call.args[0])
    default = call.args[1] if len(call.args) > 1 else given.get("default")
    bounds = [_computed(given[limit]) for limit in ("minimum", "maximum") if limit in given]
    return Variable(
        name=name,
        kind=KINDS.get(reader, reader),
        default="" if default is None else _computed(default),
        bounds=" to ".join(bounds),
        meaning=MEANINGS.get(name) or meaning,
    )


def _computed(node: ast.expr) -> str:
    """A default as people would write it; of a choice, what holds outside production."""
    if isinstance(node, ast.IfExp):
        node = node.orelse
    text = ast.unparse(node)
    try:
        value = eval(text, {"__builtins__": {}}, {})  # noqa: S307 - arithmetic of our own settings
    except NameError:
        return "" if "BASE_DIR" in text else text.strip("'\"")
    return _shown(value)


def _variables_of_options() -> dict[str, str]:
    """option -> variable, from the dictionary that settings.py makes."""
    for node in ast.parse(read(SETTINGS)).body:
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.value, ast.Dict):
            continue
        if ast.unparse(node.target) == "CONTROL_PLANE":
            return {
                ast.literal_eval(key): ast.literal_eval(call.args[0])
                for key, call in zip(node.value.keys, node.value.values, strict=True)
                if isinstance(call, ast.Call) and key is not None
            }
    raise LookupError("settings.py assigns no CONTROL_PLANE")


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(value) or "none"
    return f"{value:.12g}" if isinstance(value, float) else str(value)
