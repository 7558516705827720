"""The programs of a running installation, and what they find in their environment."""

import os
import sys

from controlplane import local_setup
from controlplane.supervision.program import Program
from controlplane.up.address import Address

# All together, with the database, must be gone within ten seconds of Ctrl-C.
DRAIN_SECONDS = 2
KILL_SECONDS = 1

ONCE = ("executor", "watchdog", "web")


def programs(address: Address, *, once: bool) -> list[Program]:
    """Return what to run, in the order in which it is to be stopped.

    With `once` there is no scheduler: what is due is started by hand, once.
    """
    # Nothing new is begun before what runs is drained; the page stays until the end.
    everything = [
        Program("scheduler", command("runscheduler"), stop_seconds=1.0),
        Program("executor", command("runexecutor"), stop_seconds=4.0),
        Program("watchdog", command("runwatchdog"), stop_seconds=1.0),
        Program("web", web_command(address), stop_seconds=2.5),
    ]
    return [program for program in everything if not once or program.name in ONCE]


def command(name: str) -> tuple[str, ...]:
    return (sys.executable, str(local_setup.ROOT / "manage.py"), name)


def web_command(address: Address) -> tuple[str, ...]:
    options = {
        "--host": address.host,
        "--port": str(address.port),
        # Open live streams would hold the end up for as long as a browser looks on.
        "--timeout-graceful-shutdown": "2",
        "--log-level": "warning",
    }
    words = [word for pair in options.items() for word in pair]
    return (sys.executable, "-m", "uvicorn", "controlplane.asgi:application", *words)


def environment(address: Address) -> dict[str, str]:
    """Return the children's environment: ours, and what follows from the address.

    What somebody has set on purpose stays, but for what makes stopping in time impossible.
    """
    defaults = {
        **local_setup.local_environment(),
        "ALLOWED_HOSTS": ",".join(address.hosts()),
        "HTTP_REQUEST_ALLOWED_PRIVATE": address.netloc,
        # The supervisor tells the time.
        "LOG_FORMAT": "%(levelname)s %(name)s: %(message)s",
    }
    fixed = {
        "PYTHONUNBUFFERED": "1",
        "SHUTDOWN_GRACE_SECONDS": str(DRAIN_SECONDS),
        "KILL_GRACE_SECONDS": str(KILL_SECONDS),
    }
    return {**defaults, **os.environ, **fixed}
