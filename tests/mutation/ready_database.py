"""A pytest plugin: the test database stands already, so nothing is made and nothing migrated."""

from typing import Any

from django.db import connection
from django.test import utils


def pytest_configure() -> None:
    doors: Any = utils
    doors.setup_databases = _take_what_stands
    doors.teardown_databases = _leave_it


def _take_what_stands(**_options: Any) -> list[Any]:
    connection.close()
    connection.settings_dict["NAME"] = f"test_{connection.settings_dict['NAME']}"
    return []


def _leave_it(*_arguments: Any, **_options: Any) -> None:
    connection.close()
