"""Reading the text of a crontab as cron does. Pure: nothing is looked up on this machine."""

import re
from dataclasses import dataclass, field

#: Variables that cron keeps for itself or that only mean something to it, and what to tell of them.
_IGNORED = {
    "MAILTO": "output is kept in the job's log, not mailed",
    "MAILFROM": "output is kept in the job's log, not mailed",
    "USER": "the user is set by the machine",
    "LOGNAME": "the user is set by the machine",
    "RANDOM_DELAY": "jobs start at their time",
    "START_HOURS_RANGE": "jobs start at their time",
}
_VARIABLE = re.compile(r"(?P<quote>[\"']?)(?P<name>[A-Za-z_]\w*)(?P=quote)\s*=\s*(?P<value>.*)")
_ENTRY = re.compile(r"(?P<cron>@\S+|(?:\S+\s+){4}\S+)\s+(?P<rest>.*)")
#: The drawing that distributions put on top of their crontabs.
_DRAWING = re.compile(r"[.|*]|m\s+h\s|example of job definition", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that asks for a job. `problem` says why it cannot become one, if so."""

    line_number: int
    text: str
    cron: str = ""
    #: The user field; empty in a user's own crontab.
    user: str = ""
    command: str = ""
    stdin: str = ""
    #: CRON_TZ in force; empty: the machine's own zone.
    zone: str = ""
    variables: dict[str, str] = field(default_factory=dict)
    description: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Crontab:
    """What a crontab says: its entries, and remarks on lines that were left out of account."""

    entries: tuple[Entry, ...]
    remarks: tuple[tuple[int, str], ...]


def read_crontab(text: str, *, system: bool) -> Crontab:
    """Every entry of a crontab. `system`: each line has a user field, as in /etc/crontab."""
    entries: list[Entry] = []
    remarks: list[tuple[int, str]] = []
    variables: dict[str, str] = {}
    comments: list[str] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip(" \t\r\ufeff")
        if not line:
            comments.clear()
        elif line.startswith("#"):
            comments.append(line.lstrip("#").rstrip())
        elif match := _VARIABLE.fullmatch(line):
            remarks += _set(match, number, variables)
            comments.clear()
        else:
            entries.append(_entry(number, line, system, dict(variables), _described(comments)))
            comments.clear()
    return Crontab(tuple(entries), tuple(remarks))


def has_user_field(text: str, known_users: frozenset[str]) -> bool:
    """Whether most entries have the name of a user and a command after the times."""
    entries = read_crontab(text, system=True).entries
    named = sum(1 for entry in entries if entry.user in known_users and entry.command)
    return named * 2 > len(entries)


def _set(match: re.Match[str], number: int, variables: dict[str, str]) -> list[tuple[int, str]]:
    name, value = match["name"], match["value"].strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    if name in _IGNORED:
        return [(number, f"{name} is ignored: {_IGNORED[name]}")]
    variables[name] = value
    if name == "TZ":
        return [(number, "TZ is for the command; times follow CRON_TZ or the machine's zone")]
    return []


def _described(comments: list[str]) -> str:
    """The comment right above an entry, unless it is a drawing of the fields."""
    if any(_DRAWING.match(line.strip()) for line in comments):
        return ""
    return "\n".join(line.strip() for line in comments).strip()


def _entry(
    number: int, line: str, system: bool, variables: dict[str, str], description: str
) -> Entry:
    zone = variables.pop("CRON_TZ", "")
    match = _ENTRY.fullmatch(line.removeprefix("-"))
    if match is None:
        return Entry(number, line, problem="five time fields and a command are needed")
    cron, rest = match["cron"], match["rest"]
    user = ""
    if system:
        user, _, rest = rest.replace("\t", " ").partition(" ")
        # FreeBSD and others allow user:group and user/class.
        user = re.split(r"[:/]", user)[0]
    command, stdin = _split_stdin(rest.strip())
    problem = "" if command else "the command is missing"
    if cron.lower() == "@reboot":
        problem = "@reboot is not supported: it names no time"
    return Entry(number, line, cron, user, command, stdin, zone, variables, description, problem)


def _split_stdin(text: str) -> tuple[str, str]:
    """The command up to the first `%`, and the rest as lines of its standard input."""
    parts = [part.replace("\\%", "%") for part in re.split(r"(?<!\\)%", text)]
    stdin = "\n".join(parts[1:])
    return parts[0].strip(), stdin + "\n" if len(parts) > 1 and not stdin.endswith("\n") else stdin
