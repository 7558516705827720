"""As whom a command runs, and the clean environment it gets."""

import os
import pwd
from dataclasses import dataclass

from jobs.errors import PermanentFailure

#: What of the executor's own environment a command may see; never secrets such as DATABASE_URL.
#: TZ is not among them: Django sets it for itself, while commands go by the machine's own zone.
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR")
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True, slots=True)
class CommandUser:
    """Ids to switch to before the program starts (None: stay as we are), and who that is."""

    name: str
    home: str
    login_shell: str
    uid: int | None = None
    gid: int | None = None
    groups: tuple[int, ...] | None = None


def command_user(run_as: str) -> CommandUser:
    """The user to run as; an empty name means the executor's own.

    Raises PermanentFailure when this machine has no such user or the executor may not become it.
    """
    if not run_as:
        return _own_user()
    try:
        entry = pwd.getpwnam(run_as)
    except (KeyError, ValueError):
        raise PermanentFailure(
            f"run_as: this machine has no user {run_as!r}.", code="no_such_user"
        ) from None
    user = CommandUser(name=entry.pw_name, home=entry.pw_dir, login_shell=entry.pw_shell)
    if entry.pw_uid == os.geteuid():
        return user
    if os.geteuid() != 0:
        raise PermanentFailure(
            f"run_as: the executor runs as {_own_user().name}, so it cannot run a command as "
            f"{run_as!r}; only an executor that runs as root can.",
            code="run_as_refused",
        )
    return CommandUser(
        name=user.name,
        home=user.home,
        login_shell=user.login_shell,
        uid=entry.pw_uid,
        gid=entry.pw_gid,
        groups=tuple(os.getgrouplist(entry.pw_name, entry.pw_gid)),
    )


def _own_user() -> CommandUser:
    try:
        entry = pwd.getpwuid(os.geteuid())
    except KeyError:  # a container may run under a number that has no name
        return CommandUser(name=str(os.geteuid()), home="/", login_shell="/bin/sh")
    return CommandUser(name=entry.pw_name, home=entry.pw_dir, login_shell=entry.pw_shell)


def environment_for(user: CommandUser, extra: dict[str, str]) -> dict[str, str]:
    """The whole environment of a command: a few plain variables, then what the job gives."""
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    if user.uid is not None:
        passed_on.pop("TMPDIR", None)  # ours may be closed to others
        passed_on["PATH"] = _SYSTEM_PATH
    return {
        "PATH": _SYSTEM_PATH,
        "LANG": "C.UTF-8",
        **passed_on,
        "HOME": user.home,
        "USER": user.name,
        "LOGNAME": user.name,
        "SHELL": user.login_shell or "/bin/sh",
        **extra,
    }
