from django.apps import AppConfig


class HostAppConfig(AppConfig):
    name = "tests.host_project.letters"
