from django.apps import AppConfig


class ThirdPartyAppConfig(AppConfig):
    name = "tests.third_party_app"
