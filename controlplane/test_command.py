"""`manage.py test`: the checkers, then pytest, with everything they need set up first.

Django's settings are not loaded here: the database must be up before they are.
"""

import os
import subprocess
import sys

from controlplane import embedded_postgres, local_setup, test_setup

HELP = """usage: manage.py test [--soak] [pytest arguments ...]

Runs the checkers (ruff, mypy, import-linter) and then pytest, against a test database of its own
(or the server of DATABASE_URL) and a Chromium (CHROME, or found, or installed). When the
arguments name files or folders only pytest runs. --soak adds the tests that take minutes.
"""

CHECKERS = {
    "ruff check": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "mypy": ["mypy"],
    "import-linter": ["lint-imports"],
}


def main(arguments: list[str]) -> int:
    """Run everything and return the exit status: pytest's, or 1 if only a checker failed."""
    if {"-h", "--help"} & set(arguments):
        sys.stdout.write(HELP)
        return 0
    soak = "--soak" in arguments
    chosen = [argument for argument in arguments if argument != "--soak"]
    failed = [] if names_paths(chosen) else run_checkers()
    try:
        status = run_pytest([*([] if soak else ["-m", "not soak"]), *chosen])
    except embedded_postgres.EmbeddedPostgresError as error:
        say(str(error))
        return 1
    return status or (1 if failed else 0)


def names_paths(arguments: list[str]) -> bool:
    return any(
        os.path.exists(argument.partition("::")[0])
        for argument in arguments
        if not argument.startswith("-")
    )


def run_checkers() -> list[str]:
    """Run each checker, show what it says, and return the names of those that failed."""
    failed = []
    for name, command in CHECKERS.items():
        say(f"== {name}")
        program = os.path.join(os.path.dirname(sys.executable), command[0])
        if run([program, *command[1:]]) != 0:
            failed.append(name)
    if failed:
        say(f"== Failed: {', '.join(failed)}; the tests run all the same")
    return failed


def run_pytest(arguments: list[str]) -> int:
    """Run pytest with a database and a browser, and leave neither running."""
    browser = test_setup.browser()
    if browser:
        os.environ["CHROME"] = browser
    command = [sys.executable, "-m", "pytest", *arguments]
    if os.environ.get("DATABASE_URL"):
        return run(command)
    var_dir = local_setup.VAR_DIR
    local_setup.make_var_dir(var_dir)
    name = "test-postgres"
    with embedded_postgres.ensure_running(var_dir, name=name, durable=False) as server:
        os.environ["DATABASE_URL"] = server.url()
        return run(command)


def run(command: list[str]) -> int:
    """Run a program to its end, also when Ctrl-C reaches both of us: it prints its own report."""
    with subprocess.Popen(command, cwd=local_setup.ROOT) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
