"""Where a Python that is new enough may hide: standard library only, syntax of Python 3.6."""

import contextlib
import glob
import os
import pwd
import re
import subprocess
import sys
from typing import Iterator, List, Optional

MINIMUM = (3, 12)
NAMES = ("python3.14", "python3.13", "python3.12")

# A Python without these cannot make an environment or fetch a package.
PROBE = f"import sys, venv, ensurepip, ssl; sys.exit(sys.version_info < {MINIMUM!r})"

# Homebrew and the python.org installers put programs here without touching PATH.
WELL_KNOWN_FOLDERS = (
    "/opt/homebrew/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/usr/local/bin",
    "/Library/Frameworks/Python.framework/Versions/Current/bin",
)


def find_python() -> Optional[str]:
    """Return the first Python that runs, is new enough and can make an environment."""
    chosen = os.environ.get("CONTROL_PLANE_PYTHON")
    if chosen:
        return chosen if is_fit(chosen) else None
    tried = set()
    for candidate in candidates():
        if candidate not in tried and is_fit(candidate):
            return candidate
        tried.add(candidate)
    return None


def is_fit(python: str) -> bool:
    """Try a Python by running it: version managers leave programs on PATH that only complain."""
    try:
        return (
            subprocess.call(
                [python, "-c", PROBE],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=30,
            )
            == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


def candidates() -> Iterator[str]:
    """Yield Pythons, the likeliest first."""
    if sys.version_info >= MINIMUM:
        yield getattr(sys, "_base_executable", "") or sys.executable
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        for name in NAMES:
            if os.path.exists(os.path.join(folder, name)):
                yield os.path.join(folder, name)
    for pattern in version_manager_patterns():
        for folder in sorted(glob.glob(pattern), key=version_of, reverse=True):
            if version_of(folder) >= list(MINIMUM):
                yield os.path.join(folder, "bin", "python3")
    for folder in WELL_KNOWN_FOLDERS:
        for name in NAMES:
            yield os.path.join(folder, name)


def version_manager_patterns() -> Iterator[str]:
    """Yield globs of the folders in which pyenv, mise, asdf and uv keep one Python each."""
    for root in pyenv_roots():
        yield os.path.join(root, "versions", "3.*")
    for home in homes():
        share = os.path.join(home, ".local", "share")
        mise = os.environ.get("MISE_DATA_DIR") or os.path.join(share, "mise")
        asdf = os.environ.get("ASDF_DATA_DIR") or os.path.join(home, ".asdf")
        yield os.path.join(mise, "installs", "python", "3.*")
        yield os.path.join(asdf, "installs", "python", "3.*")
        uv = os.environ.get("UV_PYTHON_INSTALL_DIR") or os.path.join(share, "uv", "python")
        yield os.path.join(uv, "cpython-3.*")


def pyenv_roots() -> Iterator[str]:
    """Yield pyenv's own folder as told by the environment, by PATH, or by the running Python.

    HOME alone is not enough: it may point to an empty folder (a container, a test).
    """
    if os.environ.get("PYENV_ROOT"):
        yield os.environ["PYENV_ROOT"]
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if os.path.basename(folder) in ("shims", "bin"):
            parent = os.path.dirname(os.path.realpath(folder))
            if os.path.isdir(os.path.join(parent, "versions")):
                yield parent
    versions = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(sys.executable))))
    if os.path.basename(versions) == "versions":
        yield os.path.dirname(versions)
    for home in homes():
        yield os.path.join(home, ".pyenv")


def homes() -> List[str]:
    """Return the home folder by the environment and the one the system has on record."""
    found = [os.path.expanduser("~")]
    with contextlib.suppress(KeyError):
        found.append(pwd.getpwuid(os.getuid()).pw_dir)
    return found


def version_of(folder: str) -> List[int]:
    """Return [3, 13, 0] for a folder named `3.13.0` or `cpython-3.13.0-linux-x86_64-gnu`."""
    match = re.match(r"(?:cpython-)?([0-9.]+)", os.path.basename(folder))
    return [int(number) for number in match.group(1).split(".") if number] if match else []
