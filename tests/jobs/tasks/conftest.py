"""What tests of the built-in tasks share: options, actors, contexts outside an executor."""

from collections.abc import Callable

import pytest
from pytest_django import Settings

from controlplane.actors import Actor
from jobs.runtime.context import JobContext, detached_context
from jobs.runtime.log_capture import current_log
from jobs.tasks import run_command

SetOptions = Callable[..., None]

ADMIN = Actor(id=1, label="ada", roles=frozenset({"ADMIN"}))
OPERATOR = Actor(id=2, label="otto", roles=frozenset({"OPERATOR"}))


@pytest.fixture
def set_options(settings: Settings) -> SetOptions:
    """`set_options(run_command_enabled=True)` changes our options for one test."""

    def change(**options: object) -> None:
        settings.CONTROL_PLANE = {**settings.CONTROL_PLANE, **options}

    return change


@pytest.fixture
def context() -> JobContext:
    return detached_context(run_command)


def printed(context: JobContext, stream: str = "") -> str:
    """What went to the log of this context, or to one stream of it."""
    chunks = context.output.take()
    return "".join(chunk.text for chunk in chunks if not stream or chunk.stream == stream)


def run_with_log(context: JobContext, call: Callable[[], object]) -> None:
    """Run `call` as an executor would: with the context's log as the current one."""
    token = current_log.set(context.output)
    try:
        call()
    finally:
        current_log.reset(token)
