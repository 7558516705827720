"""What tests of schedules may ask for beside the common fixtures."""

from collections.abc import Callable
from typing import Any

import pytest
from pytest_django.fixtures import Settings

type Options = Callable[..., None]


@pytest.fixture
def options(settings: Settings) -> Options:
    """Sets options of `controlplane.conf` for one test: `options(run_command_enabled=True)`."""

    def choose(**chosen: Any) -> None:
        settings.CONTROL_PLANE = settings.CONTROL_PLANE | chosen

    return choose
