"""Our own options: defaults, overrides, and values that are refused at the start."""

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from controlplane import conf
from controlplane.conf import Options


def given(settings: Settings, **options: Any) -> Options:
    settings.CONTROL_PLANE = options
    return conf.options()


def test_without_settings_the_defaults_hold(settings: Settings) -> None:
    assert given(settings) == Options()
    del settings.CONTROL_PLANE
    assert conf.options() == Options()


def test_an_option_that_is_set_changes_that_one_alone(settings: Settings) -> None:
    options = given(settings, executor_threads=3)
    assert options.executor_threads == 3
    assert options.lease_seconds == Options().lease_seconds


def test_a_change_of_the_settings_is_seen(settings: Settings) -> None:
    assert given(settings, executor_threads=3).executor_threads == 3
    assert given(settings, executor_threads=4).executor_threads == 4


def test_the_same_settings_are_read_once(settings: Settings) -> None:
    assert given(settings, executor_threads=3) is conf.options()


def test_an_executor_is_off_unless_enabled() -> None:
    assert Options().executor_enabled is False


def test_an_unknown_option_is_refused_by_name(settings: Settings) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"unknown options: leese_seconds, typo\."):
        given(settings, typo=1, leese_seconds=2)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"lease_seconds": 30.0, "lease_renewal_seconds": 10.1}, "lease_renewal_seconds"),
        ({"default_max_attempts": 0}, "default_max_attempts"),
        ({"default_max_attempts": 22}, "default_max_attempts"),
        ({"executor_threads": 0}, "executor_threads"),
        ({"executor_processes": 0}, "executor_processes"),
        ({"claim_batch": 0}, "claim_batch"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name(
    settings: Settings, options: dict[str, Any], named: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=named):
        given(settings, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"lease_seconds": 30.0, "lease_renewal_seconds": 10.0},
        {"default_max_attempts": 1},
        {"default_max_attempts": 21},
        {"executor_threads": 1, "executor_processes": 1, "claim_batch": 1},
    ],
)
def test_the_bounds_themselves_are_allowed(settings: Settings, options: dict[str, Any]) -> None:
    assert given(settings, **options)
