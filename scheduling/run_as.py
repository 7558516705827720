"""As which user an imported line would run here, and what stands in the way."""

import os
import pwd
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Runner:
    """`run_as` is empty for this process's own user; `obstacle` says why the line must wait."""

    run_as: str
    home: str
    obstacle: str = ""


def runner_for(user: str) -> Runner:
    """Who runs a line written for `user`; empty: for whoever runs this process.

    Never somebody else than the line says: where that user cannot be had, there is an obstacle.
    """
    own = _entry_of(os.geteuid())
    if not user or (own is not None and user == own.pw_name):
        return Runner("", _folder(own.pw_dir if own else ""))
    try:
        other = pwd.getpwnam(user)
    except (KeyError, ValueError):
        return Runner(user, "", f"this machine has no user {user}")
    if os.geteuid() != 0:
        name = own.pw_name if own else str(os.geteuid())
        return Runner(user, "", f"it is for {user}, and only root may run it so; this is {name}")
    return Runner(user, _folder(other.pw_dir))


def _entry_of(number: int) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwuid(number)
    except KeyError:  # a container may run under a number that has no name
        return None


def _folder(path: str) -> str:
    return path if path and Path(path).is_dir() else ""
