"""An edit that others have overtaken: what they changed, what the person changed, both together."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Fields that no person fills in.
_OWN = {"version", "base", "impact_seen", "enabled"}


@dataclass(frozen=True, slots=True)
class ChangedField:
    """A field that others changed. `clashes` when the person changed it too, to something else."""

    name: str
    was: str
    now: str
    yours: str

    @property
    def clashes(self) -> bool:
        return self.yours not in {self.was, self.now}


@dataclass(frozen=True, slots=True)
class Conflict:
    """What others changed, and the fields as they are with the person's own changes on top."""

    changed: list[ChangedField]
    merged: dict[str, Any]


def conflict_of(base: str, current: Mapping[str, Any], submitted: Mapping[str, Any]) -> Conflict:
    """Three ways: `base` is what the form held at first, as JSON; without it nothing is known to be
    the person's own change but what differs from now.
    """
    before = _read(base)
    changed, merged = [], dict(submitted)
    for name, value in current.items():
        if name in _OWN:
            continue
        now, yours = _text(value), _text(submitted.get(name))
        was = before.get(name, now)
        if now != was and yours == was:
            merged[name] = value
        if now not in {was, yours}:
            changed.append(ChangedField(name, was, now, yours))
    merged |= {name: current[name] for name in ("version", "base") if name in current}
    return Conflict(changed, merged)


def _read(base: str) -> dict[str, str]:
    try:
        found = json.loads(base)
    except (ValueError, RecursionError):
        return {}
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def _text(value: Any) -> str:
    return "" if value is None else str(value).replace("\r\n", "\n")
