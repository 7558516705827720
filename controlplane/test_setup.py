"""Find the browser that the tests drive, or install it where that is possible."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

MISSING = (
    "No Chromium for the browser tests: install chromium, or name one in CHROME "
    "(as root on Debian or Ubuntu this command installs it)"
)


def browser() -> str | None:
    """Return the path of a Chromium, installing it if need be, or None after saying why not."""
    found = find_browser()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        install_browser()
        found = find_browser()
    if found is None:
        say(MISSING)
    return found


def find_browser() -> str | None:
    chosen = os.environ.get("CHROME")
    if chosen:
        return shutil.which(chosen)
    return next(filter(None, map(shutil.which, NAMES)), None)


def install_browser() -> None:
    """Install Debian's Chromium; a failure is shown and left to the caller to notice."""
    say("Installing Chromium for the browser tests (once)")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-qq", "-y", "--no-install-recommends", "chromium"],
    ):
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            say(f"{' '.join(command)} failed: {(done.stderr.strip().splitlines() or [''])[-1]}")


def say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
