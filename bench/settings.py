"""The project's settings and the tasks that are measured."""

from controlplane.settings import *  # noqa: F403 - as tests/settings.py does
from controlplane.settings import CONTROL_PLANE as _CONTROL_PLANE
from controlplane.settings import INSTALLED_APPS as _INSTALLED_APPS

INSTALLED_APPS = [*_INSTALLED_APPS, "bench"]
CONTROL_PLANE = _CONTROL_PLANE | {"executor_enabled": True}
