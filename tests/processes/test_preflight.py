"""A database that no waiting would mend: one clear line, exit code 1, no traceback."""

import pytest
from django.db import connection

from tests.conftest import StartCommand
from tests.started import test_database_url

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]

MISSING = "no_such_database"
READ_ONLY = {"options": "-c default_transaction_read_only=on"}


def url_of(database: str = "", **parameters: str) -> str:
    url = test_database_url()
    name = connection.settings_dict["NAME"]
    if database:
        url = url.replace(f"/{name}", f"/{database}")
    for key, value in parameters.items():
        url += f"{'&' if '?' in url else '?'}{key}={value}"
    return url


@pytest.mark.parametrize(
    ("command", "database", "parameters", "said"),
    [
        ("runexecutor", MISSING, {}, f"There is no database '{MISSING}'"),
        ("runwatchdog", MISSING, {}, f"There is no database '{MISSING}'"),
        ("runscheduler", MISSING, {}, f"There is no database '{MISSING}'"),
        ("runexecutor", "", READ_ONLY, "The database is read-only"),
        ("runexecutor", "postgres", {}, "The database lacks migrations"),
    ],
)
def test_every_process_refuses_it_in_one_line(
    start_command: StartCommand,
    command: str,
    database: str,
    parameters: dict[str, str],
    said: str,
) -> None:
    url = url_of(database, **parameters)
    process = start_command(command, environment={"DATABASE_URL": url})
    assert process.wait() == 1
    log = process.log()
    assert said in log
    assert "Traceback" not in log
    assert sum(" ERROR " in line for line in log.splitlines()) == 1


def test_a_database_that_is_away_is_waited_for(start_command: StartCommand) -> None:
    away = {"DATABASE_URL": "postgresql://postgres@127.0.0.1:1/jobs"}
    process = start_command("runwatchdog", environment=away)
    process.wait_for_log("database unavailable, retrying")
    assert process.is_running
    process.terminate()
    assert process.wait() == 0
    assert "Traceback" not in process.log()
