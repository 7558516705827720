"""The project itself as an app: its system checks, commands, template tags."""

from django.apps import AppConfig
from django.core.checks import Tags, register

from controlplane import checks


class ControlPlaneConfig(AppConfig):
    name = "controlplane"

    def ready(self) -> None:
        register(checks.check_engine)
        register(checks.check_server, Tags.database)
