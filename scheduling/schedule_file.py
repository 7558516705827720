"""Schedules as a file: YAML or JSON, read with care and written to be read by people. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, cast

import yaml

from scheduling.errors import InvalidSchedule
from scheduling.values import ScheduleValues

#: Of the layout of the file.
VERSION = 1
#: Most schedules of one file.
MAX_SCHEDULES = 10_000
#: Columns that hold times; in the file they are texts such as 2026-11-30T08:00:00Z.
MOMENTS = ("anchor_at", "run_at", "starts_at", "ends_at")
COLUMNS = tuple(ScheduleValues.__annotations__)
FORMATS = ("yaml", "json")


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A schedule of the file. `enabled` is None where the file leaves that to people."""

    name: str
    values: ScheduleValues
    enabled: bool | None = None


@dataclass(frozen=True, slots=True)
class ScheduleFile:
    """What a file says. `source` names it: it owns the schedules that it made, and no others."""

    source: str
    entries: list[FileEntry] = field(default_factory=list)


class _Loader(yaml.SafeLoader):
    """Without aliases, which can grow a small file to gigabytes, and with each key once."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise InvalidSchedule("The file holds a YAML alias, which is not accepted.")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        _refuse_doubles(keys)
        return super().construct_mapping(node, deep)


def read_file(text: str) -> ScheduleFile:
    """Raises InvalidSchedule, naming the schedule and the field, for what is no such file."""
    found = _parsed(text)
    if not isinstance(found, dict) or not isinstance(found.get("schedules"), list):
        raise InvalidSchedule("The file must hold a list named schedules.", field="schedules")
    unknown = sorted(map(str, found.keys() - {"version", "source", "schedules"}))
    if unknown:
        raise InvalidSchedule(f"The file has no {', '.join(unknown)}.")
    if found.get("version", VERSION) != VERSION:
        raise InvalidSchedule(f"The file must be of version {VERSION}.", field="version")
    source = found.get("source", "file")
    if not isinstance(source, str) or not 1 <= len(source) <= 100:
        raise InvalidSchedule("source must be a text of 1 to 100 characters.", field="source")
    return ScheduleFile(source, list(_entries(found["schedules"])))


def written(entries: Sequence[Mapping[str, Any]], source: str, form: str) -> str:
    """The file's text. Each entry is a mapping of columns, `name` and `task` first."""
    document = {"version": VERSION, "source": source, "schedules": list(entries)}
    if form == "json":
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)


def moment_text(moment: datetime) -> str:
    """An instant as the file writes it."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _parsed(text: str) -> Any:
    """JSON is read as JSON: YAML takes some of its line breaks for its own."""
    with suppress(ValueError, RecursionError):
        return json.loads(text, object_pairs_hook=_mapping)
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - a SafeLoader that refuses even more
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        where = " ".join(str(error).split())[:300]
        raise InvalidSchedule(f"The file is neither YAML nor JSON: {where}") from None


def _mapping(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    _refuse_doubles([key for key, _ in pairs])
    return dict(pairs)


def _refuse_doubles(keys: Sequence[str]) -> None:
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise InvalidSchedule(f"The file says {', '.join(twice)} twice in one place.")


def _entries(rows: Sequence[Any]) -> Iterator[FileEntry]:
    if len(rows) > MAX_SCHEDULES:
        raise InvalidSchedule(f"The file has more than {MAX_SCHEDULES} schedules.")
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):
        entry = _entry(row, number)
        if entry.name in seen:
            raise InvalidSchedule(f"The file has two schedules named {entry.name}.", field="name")
        seen.add(entry.name)
        yield entry


def _entry(row: Any, number: int) -> FileEntry:
    name = row.get("name") if isinstance(row, dict) else None
    if not isinstance(row, dict) or not isinstance(name, str) or not name.strip():
        raise InvalidSchedule(f"Schedule {number} of the file needs a name.", field="name")
    enabled = row.get("enabled")
    if enabled is not None and not isinstance(enabled, bool):
        raise InvalidSchedule(f"{name}: enabled must be true or false.", field="enabled")
    unknown = sorted(map(str, row.keys() - {*COLUMNS, "enabled"}))
    if unknown:
        raise InvalidSchedule(f"{name}: a schedule has no {', '.join(unknown)}.", field=unknown[0])
    values = {c: _value(name, c, v) for c, v in row.items() if c != "enabled"}
    return FileEntry(name.strip(), cast(ScheduleValues, values), enabled)


def _value(name: str, column: str, value: Any) -> Any:
    """YAML turns some texts into times and numbers by itself; times are wanted, with their zone."""
    if column not in MOMENTS or value is None:
        return _plain(name, column, value)
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InvalidSchedule(
            f"{name}: {column} must be a time with its zone, such as 2026-11-30T08:00:00Z.",
            field=column,
        )
    return moment


def _plain(name: str, column: str, value: Any) -> Any:
    if isinstance(value, date):
        raise InvalidSchedule(
            f'{name}: {column} holds a date that YAML made of a text; quote it: "{value}".',
            field=column,
        )
    if isinstance(value, dict):
        return {key: _plain(name, column, member) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(name, column, member) for member in value]
    return value
