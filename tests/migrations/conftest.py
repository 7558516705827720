"""A database with nothing in it, so that a migration that fails half-way spoils no other test."""

from collections.abc import Iterator

import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker


@pytest.fixture(scope="module")
def empty_database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """Name of an empty database that the default connection works on until the module ends."""
    usual = connection.settings_dict["NAME"]
    name = f"{usual}_migrations"
    with django_db_blocker.unblock():
        with connection.cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            cursor.execute(f'CREATE DATABASE "{name}"')
        _work_on(name)
        try:
            yield name
        finally:
            _work_on(usual)
            with connection.cursor() as cursor:
                cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _work_on(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name
