"""What `manage.py` does once the environment stands: tests go to pytest, the rest to Django."""

import os
import signal
import sys

from django.core.management import execute_from_command_line

from controlplane import embedded_postgres, local_setup, test_command


def main(argv: list[str]) -> None:
    """Run one command line of `manage.py`; `argv[0]` is the program's name."""
    if argv[1:2] == ["test"]:
        sys.exit(test_command.main(argv[2:]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.settings")
    try:
        run_with_database(argv)
    except embedded_postgres.EmbeddedPostgresError as error:
        sys.exit(f"manage.py: {error}")
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def run_with_database(argv: list[str]) -> None:
    """Run a Django command, with the embedded database up where that is the one in use."""
    # Commands with signal handling of their own replace this; the others leave the database too.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    if local_setup.is_wanted(argv[1:]):
        local_setup.apply(local_setup.local_environment())
    if not (local_setup.needs_database(argv[1:]) and local_setup.uses_embedded_database()):
        execute_from_command_line(argv)
        return
    with embedded_postgres.ensure_running(local_setup.VAR_DIR) as server:
        server.ensure_database()
        execute_from_command_line(argv)
