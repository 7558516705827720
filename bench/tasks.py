"""What the measured jobs do."""

import time

from django.tasks import task

from bench.moments import append_moment


@task
def noop(n: int, s: str) -> None:
    """Nothing, with a payload of about 40 bytes."""


@task
def wait_a_little(milliseconds: int) -> None:
    """What a short request over a network looks like to an executor."""
    time.sleep(milliseconds / 1000)


@task
def tell_time(path: str) -> None:
    """Append the time of its first line to a file."""
    append_moment(path, time.monotonic())
