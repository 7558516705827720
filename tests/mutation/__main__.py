"""`python -m tests.mutation`: make every mutant of the core, try the tests on each, tell the rest.

Needs DATABASE_URL of a server that may make databases. Minutes, not seconds; `--help` tells how to
try a few. Exits 0 when enough are caught and docs/mutants.md explains every survivor.
"""

import argparse
import os
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.mutation import python_mutants, sql_mutants, trials
from tests.mutation.mutant import Mutant
from tests.mutation.workshop import ROOT, Verdict, Workshop

MODULES = (
    "jobs/lifecycle.py",
    "jobs/querysets.py",
    "jobs/queue.py",
    "jobs/recovery.py",
    "jobs/settlement.py",
    "jobs/waiting.py",
    "jobs/runtime/watchdog.py",
)
STATEMENTS = "jobs/sql/*.sql"
MODELS = "jobs/models.py"

#: Quick tests of what those modules promise; those with real processes stay out.
TESTS = (
    "tests/jobs/test_lifecycle.py",
    "tests/jobs/test_models.py",
    "tests/jobs/test_querysets.py",
    "tests/jobs/test_queue*.py",
    "tests/jobs/test_settlement*.py",
    "tests/jobs/test_recovery*.py",
    "tests/jobs/test_waiting.py",
    "tests/jobs/test_blockers.py",
    "tests/jobs/test_locks.py",
    "tests/jobs/runtime/test_watchdog.py",
    "tests/jobs/actions/test_[!e]*.py",
    "tests/jobs/test_races.py",
    "tests/jobs/test_races_at_random.py",
    "tests/jobs/actions/test_enqueue_keys.py",
)

EXPLANATIONS = ROOT / "docs" / "mutants.md"
ENOUGH = 0.90


def all_mutants() -> list[Mutant]:
    """Every mutant, in the order of the files."""
    made: list[Mutant] = []
    for path in MODULES:
        made += python_mutants.mutants_of(path, _text(path))
    for file in sorted(ROOT.glob(STATEMENTS)):
        path = str(file.relative_to(ROOT))
        made += sql_mutants.mutants_of(path, _text(path))
    return made + sql_mutants.mutants_of_constraints(MODELS, _text(MODELS))


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    url = os.environ.get("DATABASE_URL")
    if not url:
        say("DATABASE_URL is not set: the trials need a server on which they may make databases.")
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # to tidy up then, too
    mutants = [mutant for mutant in all_mutants() if options.only in mutant.name][:: options.every]
    if options.list:
        for mutant in mutants:
            say(f"{mutant.path}:{mutant.line}  {mutant.name}")
        return 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        verdicts = _try(Path(folder), url, mutants, options.benches)
    return _report(verdicts)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--only", default="", help="mutants whose name contains this")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th only")
    parser.add_argument("--benches", type=int, default=2, metavar="N", help="trials at a time")
    parser.add_argument("--list", action="store_true", help="name the mutants and stop")
    return parser


def _try(folder: Path, url: str, mutants: Sequence[Mutant], benches: int) -> list[Verdict]:
    tests = [str(file.relative_to(ROOT)) for pattern in TESTS for file in ROOT.glob(pattern)]
    workshop = Workshop(folder, url=url, tests=list(dict.fromkeys(tests)), benches=benches)
    verdicts: list[Verdict] = []

    def tell(verdict: Verdict) -> None:
        verdicts.append(verdict)
        say(f"{len(verdicts):4}/{len(mutants)} {_in_words(verdict)}")

    try:
        seconds = workshop.prepare()
        say(f"{len(mutants)} mutants; the tests pass without any in {seconds:.1f} s")
        quick = [mutant for mutant in mutants if trials.can_be_given(mutant)]
        slow = [mutant for mutant in mutants if not trials.can_be_given(mutant)]
        workshop.try_all(slow, workshop.import_anew, tell)
        if quick:
            trials.run(workshop, quick, tell)
    finally:
        workshop.close()
    if len(verdicts) < len(mutants):
        raise RuntimeError(f"only {len(verdicts)} of {len(mutants)} mutants were tried")
    return verdicts


def _in_words(verdict: Verdict) -> str:
    mutant = verdict.mutant
    assert mutant is not None
    return (
        f"{verdict.seconds:5.1f} s  {mutant.path}:{mutant.line} {mutant.place}: {mutant.change}\n"
        f"          {mutant.source}\n"
        f"          {f'caught by {verdict.by}' if verdict.caught else 'SURVIVED'}"
    )


def _report(verdicts: Sequence[Verdict]) -> int:
    tried = [(verdict.mutant, verdict.caught) for verdict in verdicts if verdict.mutant]
    made = Counter(mutant.path for mutant, _ in tried)
    caught = Counter(mutant.path for mutant, was_caught in tried if was_caught)
    say(f"\n{'file':34} {'mutants':>8} {'caught':>8}")
    for path in sorted(made):
        say(f"{path:34} {made[path]:8} {caught[path]:8}")
    score = caught.total() / made.total() if tried else 0.0
    say(f"{'all':34} {made.total():8} {caught.total():8}  {score:.1%}")
    known = EXPLANATIONS.read_text(encoding="utf-8") if EXPLANATIONS.exists() else ""
    survivors = sorted(mutant.name for mutant, was_caught in tried if not was_caught)
    unexplained = [name for name in survivors if name not in known]
    for name in survivors:
        say(f"survived{' (unexplained)' if name in unexplained else ''}: {name}")
    return 0 if score >= ENOUGH and not unexplained else 1


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def say(line: str) -> None:
    """To the real output, also while pytest has none."""
    os.write(1, f"{line}\n".encode())


if __name__ == "__main__":
    sys.exit(main())
