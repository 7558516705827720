"""The tests' settings as a deployment has them that does not know the sample app yet."""

from tests.settings import *  # noqa: F403 - one app less, nothing else
from tests.settings import INSTALLED_APPS as _INSTALLED_APPS

INSTALLED_APPS = [app for app in _INSTALLED_APPS if app != "tests.sample_app"]
