"""Make the project's own environment, so that `python3 manage.py ...` works from a bare clone.

Runs before anything is installed and perhaps on an old Python: standard library only, syntax of
Python 3.6. It finds a Python that is new enough, makes `.venv`, installs the hashed pins of
`requirements.lock` and starts the command again inside. Where Django can be imported already
(a container image, an environment someone made by hand) it does nothing.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from typing import Iterator, Optional

from controlplane import python_search

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Set across the hand-over only: an environment that is still unfit after it must not loop.
HANDED_OVER = "CONTROL_PLANE_HANDED_OVER"

# One module each of what no command can do without; `django.tasks` is absent before Django 6.
NEEDED_MODULES = ("django", "django.tasks", "psycopg", "uvicorn")

UNFINISHED = "unfinished\n"


class BootstrapError(Exception):
    """The environment could not be made; the message is for the person at the terminal."""


def ensure_environment() -> None:
    """Return when this interpreter can run the project; else set one up and start again in it."""
    handed_over = os.environ.pop(HANDED_OVER, None)
    if is_ready():
        return
    if handed_over:
        sys.exit("manage.py: the environment in .venv is damaged; remove that folder and try again")
    try:
        python = prepare(ROOT)
    except (BootstrapError, OSError) as error:
        sys.exit(f"manage.py: {error}")
    except KeyboardInterrupt:
        sys.exit("manage.py: set-up interrupted; the next run starts it afresh")
    os.environ[HANDED_OVER] = "1"
    os.execv(python, [python, *sys.argv])  # noqa: S606 (a shell is what we avoid)


def is_ready() -> bool:
    """Say whether this very interpreter is new enough and has the packages."""
    if sys.version_info < python_search.MINIMUM:
        return False
    return all(importlib.util.find_spec(name) is not None for name in NEEDED_MODULES)


def prepare(root: str) -> str:
    """Make or refresh `.venv` under `root`, and return the path of its Python.

    Safe to run twice at once (the second waits) and to kill (the next run starts afresh).
    """
    environment = os.path.join(root, ".venv")
    stamp = wanted_stamp(root)
    if is_current(environment, stamp):
        return python_of(environment)
    with set_up_lock(root) as lock:
        if not is_current(environment, stamp):
            build(root, environment, stamp, lock)
    return python_of(environment)


def build(root: str, environment: str, stamp: str, lock: int) -> None:
    """Create the environment if needed and install the pins into it.

    What is started here keeps `lock` open: an installer that outlives us keeps the next one out.
    """
    started = time.time()
    say("Setting up Control Plane in .venv (once; takes about half a minute)")
    if read_stamp(environment) == UNFINISHED or not answers(python_of(environment)):
        create(environment, lock)
    write_stamp(environment, UNFINISHED)
    install(root, environment, lock)
    write_stamp(environment, stamp)
    say(f"  Ready after {time.time() - started:.0f} s")


def create(environment: str, lock: int) -> None:
    """Make an empty environment from the best Python of this machine."""
    python = python_search.find_python()
    if python is None:
        raise BootstrapError(no_python())
    say(f"  Python: {python}")
    shutil.rmtree(environment, ignore_errors=True)
    os.makedirs(environment)
    write_stamp(environment, UNFINISHED)
    if subprocess.call([python, "-m", "venv", environment], pass_fds=[lock]) != 0:
        raise BootstrapError(f"{python} could not make a virtual environment")


def no_python() -> str:
    wanted = "Python {}.{} or newer with venv and ssl".format(*python_search.MINIMUM)
    chosen = os.environ.get("CONTROL_PLANE_PYTHON")
    if chosen:
        return f"CONTROL_PLANE_PYTHON is {chosen}, which is not {wanted}"
    return f"needs {wanted}, and found none; install one, or name it in CONTROL_PLANE_PYTHON"


def install(root: str, environment: str, lock: int) -> None:
    """Install the hashed pins, with uv where it works and else with pip."""
    requirements = os.path.join(root, "requirements.lock")
    python = python_of(environment)
    pins = ["--require-hashes", "-r", requirements]
    if answers("uv"):
        say("  Installing the pinned packages with uv")
        command = ["uv", "pip", "install", "-q", "--python", python, *pins]
        if subprocess.call(command, pass_fds=[lock]) == 0:
            return
        say("  uv could not; trying pip")
    say("  Installing the pinned packages with pip")
    command = [python, "-m", "pip", "-qq", "install", "--disable-pip-version-check"]
    # A person's own `user = true` setting for pip is refused inside an environment.
    no_user = dict(os.environ, PIP_USER="0")
    if subprocess.call([*command, *pins], env=no_user, pass_fds=[lock]) != 0:
        raise BootstrapError("the pinned packages could not be installed (see above)")


def answers(program: str) -> bool:
    """Say whether a program really runs: a shim can exist and still refuse."""
    try:
        return (
            subprocess.call(
                [program, "--version"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=30,
            )
            == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


def python_of(environment: str) -> str:
    return os.path.join(environment, "bin", "python")


def wanted_stamp(root: str) -> str:
    """Return what the stamp of an environment built from today's pins says."""
    try:
        with open(os.path.join(root, "requirements.lock"), "rb") as lock:
            return hashlib.sha256(lock.read()).hexdigest() + "\n"
    except FileNotFoundError:
        raise BootstrapError(f"requirements.lock is missing from {root}") from None


def is_current(environment: str, stamp: str) -> bool:
    return read_stamp(environment) == stamp and os.path.exists(python_of(environment))


def stamp_file(environment: str) -> str:
    return os.path.join(environment, "control-plane.stamp")


def read_stamp(environment: str) -> Optional[str]:
    try:
        with open(stamp_file(environment)) as file:
            return file.read()
    except OSError:
        return None


def write_stamp(environment: str, text: str) -> None:
    """Replace the stamp in one step: it is either the old or the new text, never half of one."""
    target = stamp_file(environment)
    with open(target + ".new", "w") as file:
        file.write(text)
    os.replace(target + ".new", target)


@contextlib.contextmanager
def set_up_lock(root: str) -> Iterator[int]:
    """Hold the right to change `.venv`; the kernel lets go of it when the holder dies."""
    folder = os.path.join(root, "var")
    if not os.path.isdir(folder):
        os.makedirs(folder, exist_ok=True)
        # The embedded database may run as another user, who must be able to pass through.
        os.chmod(folder, 0o755)  # noqa: S103
    with open(os.path.join(folder, "set-up.lock"), "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another set-up is at work; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def say(line: str) -> None:
    """Print progress where it cannot mix with a command's own output."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
