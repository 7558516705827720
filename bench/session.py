"""One run of the benchmark: cluster, rows, table, JSON."""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench import cluster, floor, machine
from bench.figures import Figure, table
from bench.rows import ROWS
from bench.setting import PROGRAM_SECONDS, Setting


def run(var_dir: Path, *, rows: Sequence[str], quick: bool, rounds: int) -> int:
    """Measure the named rows, all when none is named; print the table, write the JSON."""
    unknown = sorted(set(rows) - set(ROWS))
    if unknown:
        say(f"No such row: {', '.join(unknown)}. There are: {', '.join(ROWS)}.")
        return 2
    folder = var_dir / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    with cluster.running(var_dir) as server, cluster.connect(server) as connection:
        setting = Setting(server, connection, folder, quick, rounds)
        _migrate(setting)
        floor.create_tables(connection)
        facts = machine.facts(connection)
        figures, failed = _measure(setting, rows or list(ROWS))
    say("")
    say(machine.headline(facts))
    say("")
    say(table(figures))
    path = folder / f"{facts['at'].replace(':', '')}.json"
    document = {**facts, "quick": quick, "figures": [figure.as_json() for figure in figures]}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    say(f"\n{path}")
    return 1 if failed else 0


def _measure(setting: Setting, rows: Sequence[str]) -> tuple[list[Figure], bool]:
    figures: list[Figure] = []
    failed = False
    for row in rows:
        before = time.monotonic()
        try:
            found = ROWS[row](setting)
        except RuntimeError as error:
            say(f"{row}: {error}")
            failed = True
            continue
        say(f"{row}: {time.monotonic() - before:.0f} s")
        figures += found
    return figures, failed


def _migrate(setting: Setting) -> None:
    with setting.start("django", "migrate", "--verbosity=0") as program:
        program.result(PROGRAM_SECONDS)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
