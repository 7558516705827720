"""The steps of `up`, from the claim on the checkout to the last process stopped."""

import sys
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from controlplane import local_setup
from controlplane.embedded_postgres import Server
from controlplane.supervision import output
from controlplane.supervision.output import Log
from controlplane.supervision.supervisor import Supervisor
from controlplane.up import address, contents, database, once, programs, sole
from controlplane.up.address import Address
from controlplane.up.errors import UpError
from scheduling.crontab import ImportedLine

# From the start of the processes to a page; the first start compiles everything.
PAGE_SECONDS = 60.0

# How often the database's process is looked for.
DATABASE_SECONDS = 2.0


@dataclass(frozen=True)
class Options:
    """What the person asked for."""

    crontab: Path | None
    once: bool
    host: str
    port: int | None


def run(options: Options) -> int:
    """Bring everything up, keep it running until a signal, and return the exit status.

    Raises UpError with one line to show.
    """
    var_dir = local_setup.VAR_DIR
    local_setup.make_var_dir(var_dir)
    text = contents.read_crontab(options.crontab) if options.crontab else ""
    with sole.claim(var_dir) as claim:
        place = address.choose(options.host, options.port)
        claim.note(place.url)
        with database.running(var_dir) as server:
            say("Database", f"{database.describe()} ({'embedded' if server else 'DATABASE_URL'})")
            say("Migrations", f"{database.migrate()} applied")
            contents.prepare_admin(var_dir, say)
            schedules = contents.prepare_schedules(place.health_url, say)
            lines: list[ImportedLine] = []
            if options.crontab:
                lines = contents.import_named_crontab(options.crontab, text, say)
            else:
                contents.import_system_crontabs(say)
            database.leave()
            with supervisor(options, place, claim, server) as running:
                wait_for_page(running, place)
                if options.once:
                    return run_once(running, lines)
                contents.start_first_runs(schedules, say)
                database.leave()
                say("Running", f"{place.url} (Ctrl-C stops everything)")
                keep_running(running, server)
    say("Stopped", "nothing is left running")
    return 0


def supervisor(
    options: Options, place: Address, claim: sole.Claim, server: Server | None
) -> Supervisor:
    def spared() -> Collection[int]:
        pid = server.pid() if server else None
        return () if pid is None else (pid,)

    return Supervisor(
        programs.programs(place, once=options.once),
        environment=programs.environment(place),
        folder=local_setup.ROOT,
        log=Log(sys.stdout),
        var_dir=local_setup.VAR_DIR if server else None,
        # The claim outlives us if we are killed, for as long as the guardian cleans up.
        kept_open=(claim.fileno(),),
        spared=spared,
    )


def wait_for_page(running: Supervisor, place: Address) -> None:
    """Wait until the page really answers. Raises UpError when it does not, or not in time."""
    deadline = time.monotonic() + PAGE_SECONDS
    while not running.is_stopping:
        running.pump(0.1)
        if address.answers(place.health_url):
            return
        if time.monotonic() > deadline:
            raise UpError(f"{place.health_url} did not answer within {PAGE_SECONDS:.0f} s")


def keep_running(running: Supervisor, server: Server | None) -> None:
    """Run until a signal asks for the end, reviving the database if it dies."""
    look_again = 0.0
    while not running.is_stopping:
        running.pump(0.2)
        if server and time.monotonic() > look_again:
            look_again = time.monotonic() + DATABASE_SECONDS
            if server.revive():
                say("Database", "had died; it runs again")


def run_once(running: Supervisor, lines: list[ImportedLine]) -> int:
    """Run every enabled schedule once, print the table, and return the exit status."""

    def pump() -> bool:
        running.pump(0.2)
        return not running.is_stopping

    rows = once.run_all(pump) + once.rows_of_lines_left_out(lines)
    database.leave()
    running.stop()
    failed = sum(not row.is_good for row in rows)
    summary = f"{len(rows) - failed} of {len(rows)} succeeded"
    output.say(sys.stdout, f"\n{once.table(rows)}\n\n{summary}")
    return 1 if failed else 0


def say(title: str, line: str) -> None:
    """Print one line of progress."""
    output.say(sys.stdout, f"{title:<14}{line}")
