"""System checks with stable ids: what is wrong with a deployment before anything runs.

What only a process at work needs to know of its database is in preflight.py.
"""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error
from django.db import NotSupportedError, OperationalError, connection

from controlplane.preflight import WRONG_ENGINE


def check_engine(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """E001: claims, leases and wake-ups are PostgreSQL's; there is no lesser mode."""
    if connection.vendor == "postgresql":
        return []
    return [Error(WRONG_ENGINE, id="controlplane.E001")]


def check_server(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """E002: the server is too old. E003: it does not answer. Only asked where a command names
    databases, as migrate does.
    """
    if connection.alias not in (databases or ()) or connection.vendor != "postgresql":
        return []
    try:
        connection.ensure_connection()
        connection.check_database_version_supported()
    except NotSupportedError as error:
        return [Error(str(error).strip(), id="controlplane.E002")]
    except OperationalError as error:
        reason = str(error).strip().partition("\n")[0]
        return [Error(f"The database does not answer: {reason}", id="controlplane.E003")]
    return []
